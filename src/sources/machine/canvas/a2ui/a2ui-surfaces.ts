import { asRecord, isRecord } from "../../../../core/is-record.ts";
import { CapabilityFault } from "../../capability.ts";
import { type A2uiComponent, type A2uiEntry, type A2uiMessage, type A2uiValue, splitPath } from "./a2ui-messages.ts";

/** What messages of A2UI have built, by the id of the surface. */
export type A2uiSurfaces = ReadonlyMap<string, A2uiSurface>;

export interface A2uiSurface {
  /** The component to begin with; undefined until the surface is to be shown. */
  readonly root?: string;
  readonly components: ReadonlyMap<string, A2uiComponent>;
  readonly data: A2uiData;
}

/** Without a prototype, since its keys come from outside. */
export interface A2uiData {
  readonly [key: string]: A2uiData | string | number | boolean | readonly string[];
}

const maxSurfaces = 50;
const maxComponents = 5000;
/** Of the data model of a surface, as JSON. */
const maxDataBytes = 8 * 1024 * 1024;

interface Draft {
  root?: string;
  readonly components: Map<string, A2uiComponent>;
  readonly data: DraftData;
}

type DraftData = Record<string, A2uiData[string]>;

/** The surfaces after the messages. All of them are applied, or none. */
export function applyMessages(before: A2uiSurfaces, messages: readonly A2uiMessage[]): A2uiSurfaces {
  const surfaces = new Map<string, A2uiSurface>(before);
  const drafts = new Map<string, Draft>();
  for (const message of messages) {
    const { surface: id } = message;
    if (message.kind === "deleteSurface") {
      surfaces.delete(id);
      drafts.delete(id);
      continue;
    }
    const draft = drafts.get(id) ?? draftOf(surfaces.get(id));
    drafts.set(id, draft);
    surfaces.set(id, draft);
    applyTo(draft, message);
  }
  if (surfaces.size > maxSurfaces) throw tooLarge(`There are more than ${maxSurfaces} surfaces.`);
  for (const { components, data } of drafts.values()) {
    if (components.size > maxComponents) throw tooLarge(`A surface has more than ${maxComponents} components.`);
    if (JSON.stringify(data).length > maxDataBytes) throw tooLarge("The data of a surface is too large.");
  }
  return surfaces;
}

/** A copy that may be changed. */
function draftOf(surface: A2uiSurface | undefined): Draft {
  const { root, components, data = {} } = surface ?? {};
  return { ...(root !== undefined && { root }), components: new Map(components), data: copyOf(data) };
}

function copyOf(data: A2uiData): DraftData {
  const copy = Object.create(null) as DraftData;
  for (const [key, value] of Object.entries(data)) copy[key] = isMap(value) ? copyOf(value) : value;
  return copy;
}

function applyTo(draft: Draft, message: Exclude<A2uiMessage, { kind: "deleteSurface" }>): void {
  if (message.kind === "beginRendering") draft.root = message.root;
  else if (message.kind === "dataModelUpdate") setValue(draft.data, message.path, dataOf(message.contents));
  else for (const component of message.components) draft.components.set(component.id, component);
}

/** What the user has entered, by path: the surfaces with it. Surfaces that are not there are left out. */
export function withInputs(
  before: A2uiSurfaces,
  inputs: readonly { readonly surface: string; readonly path: string; readonly value: A2uiData[string] }[],
): A2uiSurfaces {
  const drafts = new Map<string, Draft>();
  for (const { surface: id, path, value } of inputs) {
    const surface = before.get(id);
    if (surface === undefined) continue;
    const draft = drafts.get(id) ?? draftOf(surface);
    drafts.set(id, draft);
    setValue(draft.data, splitPath(path), value);
  }
  return drafts.size === 0 ? before : new Map<string, A2uiSurface>([...before, ...drafts]);
}

/** Where obscured fields keep what is typed: the last parts of their paths, since in a list each entry has its own. */
export function hiddenNames({ components }: A2uiSurface): ReadonlySet<string> {
  const names = Array.from(components.values()).flatMap(({ id, type, fields }) => {
    if (type !== "TextField" || (fields["textFieldType"] ?? fields["type"]) !== "obscured") return [];
    const { path } = asRecord(fields["text"]);
    return [(typeof path === "string" ? splitPath(path).at(-1) : undefined) ?? id];
  });
  return new Set(names);
}

function dataOf(entries: readonly A2uiEntry[]): DraftData {
  const data = Object.create(null) as DraftData;
  for (const { key, value } of entries) data[key] = plainValue(value);
  return data;
}

function plainValue(value: A2uiValue): A2uiData[string] {
  return typeof value === "object" ? dataOf(value) : value;
}

/** Maps are merged, so that a message need only bring what has changed. */
function setValue(data: DraftData, path: readonly string[], value: A2uiData[string]): void {
  let inside = data;
  const last = isMap(value) ? undefined : path.at(-1);
  for (const key of last === undefined ? path : path.slice(0, -1)) {
    if (!isMap(inside[key])) inside[key] = dataOf([]);
    inside = inside[key];
  }
  if (isMap(value)) Object.assign(inside, value);
  else if (last !== undefined) inside[last] = value;
}

/** Undefined if there is nothing at the path. */
export function dataAt(data: A2uiData, path: readonly string[]): A2uiData[string] | undefined {
  let value: A2uiData[string] | undefined = data;
  for (const key of path) value = isMap(value) ? value[key] : undefined;
  return value;
}

export function isMap(value: unknown): value is A2uiData {
  return isRecord(value);
}

function tooLarge(message: string): CapabilityFault {
  return new CapabilityFault("PAYLOAD_TOO_LARGE", message, { code: "too-large" });
}
