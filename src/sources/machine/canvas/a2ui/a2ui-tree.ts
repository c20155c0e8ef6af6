import { asRecord } from "../../../../core/is-record.ts";
import { splitPath } from "./a2ui-messages.ts";
import { type A2uiData, type A2uiSurface, type A2uiSurfaces, hiddenNames, isMap, dataAt } from "./a2ui-surfaces.ts";

/** What the page is to show: elements and their texts, with nothing left to look up. */
export interface TreeNode {
  readonly tag: string;
  /** A class of the style sheet. */
  readonly kind?: string;
  readonly text?: string;
  readonly attributes?: Readonly<Record<string, string>>;
  readonly weight?: number;
  readonly children?: readonly TreeNode[];
  /** An input whose value belongs to this path of the data model. */
  readonly input?: { readonly surface: string; readonly path: string; readonly value: TreeValue };
  readonly action?: TreeAction;
}

export type TreeValue = string | number | boolean | readonly string[];

export interface TreeAction {
  readonly surface: string;
  readonly component: string;
  readonly name: string;
  readonly context: readonly { readonly key: string; readonly path?: string; readonly value: TreeValue }[];
}

type Fields = Readonly<Record<string, unknown>>;

interface Place {
  readonly surface: A2uiSurface;
  readonly id: string;
  readonly component: string;
  /** Where paths without a leading slash begin: at an entry of a list. */
  readonly base: string;
  readonly depth: number;
  readonly budget: { left: number };
  /** Where secrets are typed. */
  readonly hidden: ReadonlySet<string>;
}

/** Instead of what was typed into an obscured field. */
export const hiddenText = "(hidden)";

const deepest = 40;
const maxNodes = 10_000;

/** Surfaces without a root are not shown yet. A component that contains itself ends at the deepest level. */
export function treeOf(surfaces: A2uiSurfaces): readonly TreeNode[] {
  const budget = { left: maxNodes };
  return [...surfaces].flatMap(([id, surface]) => {
    if (surface.root === undefined) return [];
    const hidden = hiddenNames(surface);
    const place = { surface, id, component: surface.root, base: "", depth: 0, budget, hidden };
    const children = componentTree(surface.root, place);
    return [{ tag: "section", kind: "surface", attributes: { "data-surface": id }, children }];
  });
}

function componentTree(id: unknown, place: Place): readonly TreeNode[] {
  const component = typeof id === "string" ? place.surface.components.get(id) : undefined;
  if (component === undefined || place.depth > deepest || place.budget.left-- <= 0) return [];
  const { type, fields, weight } = component;
  const build = Object.hasOwn(builders, type) ? builders[type] : undefined;
  const inside = { ...place, component: component.id, depth: place.depth + 1 };
  const node = build?.(fields, inside) ?? { tag: "div", kind: "unknown", text: `(${type})` };
  return [weight === undefined ? node : { ...node, weight }];
}

const headings = new Set(["h1", "h2", "h3", "h4", "h5"]);
const inputTypes: Readonly<Record<string, string>> = { number: "number", date: "date", obscured: "password" };

const builders: Readonly<Record<string, (fields: Fields, place: Place) => TreeNode>> = {
  Text(fields, place) {
    const hint = word(fields["usageHint"]);
    return {
      tag: headings.has(hint) ? hint : "p",
      kind: hint === "caption" ? "caption" : "text",
      text: textOf(fields["text"], place),
    };
  },
  Image: (fields, place) => ({ tag: "img", attributes: { src: textOf(fields["url"], place), alt: "" } }),
  Icon: (fields, place) => ({ tag: "span", kind: "icon", text: textOf(fields["name"], place) }),
  Video: (fields, place) => ({ tag: "video", attributes: { src: textOf(fields["url"], place), controls: "" } }),
  AudioPlayer: (fields, place) => ({ tag: "audio", attributes: { src: textOf(fields["url"], place), controls: "" } }),
  Row: (fields, place) => ({ tag: "div", kind: "row", children: childrenOf(fields["children"], place) }),
  Column: (fields, place) => ({ tag: "div", kind: "column", children: childrenOf(fields["children"], place) }),
  List: (fields, place) => ({
    tag: "div",
    kind: fields["direction"] === "horizontal" ? "row" : "column",
    children: childrenOf(fields["children"], place),
  }),
  Card: (fields, place) => ({ tag: "div", kind: "card", children: componentTree(fields["child"], place) }),
  Divider: (fields) => ({ tag: "hr", kind: fields["axis"] === "vertical" ? "vertical" : "horizontal" }),
  Tabs: (fields, place) => ({
    tag: "div",
    kind: "column",
    children: listOf(fields["tabItems"]).map((item) => ({
      tag: "details",
      attributes: { open: "" },
      children: [{ tag: "summary", text: textOf(item["title"], place) }, ...componentTree(item["child"], place)],
    })),
  }),
  Modal: (fields, place) => ({
    tag: "details",
    children: [
      { tag: "summary", children: componentTree(fields["entryPointChild"], place) },
      ...componentTree(fields["contentChild"], place),
    ],
  }),
  Button: (fields, place) => ({
    tag: "button",
    kind: fields["primary"] === true ? "primary" : "plain",
    children: componentTree(fields["child"], place),
    action: actionOf(asRecord(fields["action"]), place),
  }),
  CheckBox: (fields, place) =>
    labelled(fields, place, "check", { tag: "input", attributes: { type: "checkbox" } }, "value"),
  TextField(fields, place) {
    const type = word(fields["textFieldType"] ?? fields["type"]);
    const tag = type === "longText" ? "textarea" : "input";
    return labelled(fields, place, "field", { tag, attributes: { type: inputTypes[type] ?? "text" } }, "text");
  },
  DateTimeInput(fields, place) {
    const [date, time] = [fields["enableDate"] !== false, fields["enableTime"] === true];
    const type = date && time ? "datetime-local" : time ? "time" : "date";
    return labelled(fields, place, "field", { tag: "input", attributes: { type } }, "value");
  },
  Slider(fields, place) {
    const attributes = { type: "range", min: word(fields["minValue"], "0"), max: word(fields["maxValue"], "100") };
    return labelled(fields, place, "field", { tag: "input", attributes }, "value");
  },
  MultipleChoice(fields, place) {
    const many = Number(fields["maxAllowedSelections"] ?? 1) > 1;
    const children = listOf(fields["options"]).map((option) => ({
      tag: "option",
      text: textOf(option["label"], place),
      attributes: { value: word(option["value"]) },
    }));
    return labelled(
      fields,
      place,
      "field",
      { tag: "select", attributes: many ? { multiple: "" } : {}, children },
      "selections",
    );
  },
};

function labelled(fields: Fields, place: Place, kind: string, control: TreeNode, valueField: string): TreeNode {
  const bound = asRecord(fields[valueField]);
  const path = typeof bound["path"] === "string" ? fullPath(bound["path"], place.base) : `/${place.component}`;
  const input = { surface: place.id, path, value: valueOf(fields[valueField], place) ?? "" };
  const label = { tag: "span", text: textOf(fields["label"], place) };
  return { tag: "label", kind, children: [label, { ...control, input }] };
}

function actionOf({ name, context }: Fields, place: Place): TreeAction {
  return {
    surface: place.id,
    component: place.component,
    name: typeof name === "string" ? name.slice(0, 200) : "",
    context: listOf(context).map(({ key, value }) => {
      const { path } = asRecord(value);
      if (typeof path !== "string") return { key: word(key), value: valueOf(value, place) ?? "" };
      if (place.hidden.has(splitPath(path).at(-1) ?? "")) return { key: word(key), value: hiddenText };
      return { key: word(key), path: fullPath(path, place.base), value: valueOf(value, place) ?? "" };
    }),
  };
}

/** Named one by one, or one for each entry of the data at a path. */
function childrenOf(children: unknown, place: Place): readonly TreeNode[] {
  const { explicitList, template } = asRecord(children);
  if (Array.isArray(explicitList)) return explicitList.flatMap((id) => componentTree(id, place));
  const { componentId, dataBinding } = asRecord(template);
  if (typeof dataBinding !== "string") return [];
  const list = fullPath(dataBinding, place.base);
  const entries = dataAt(place.surface.data, splitPath(list));
  if (!isMap(entries)) return [];
  return Object.keys(entries).flatMap((key) => componentTree(componentId, { ...place, base: `${list}/${key}` }));
}

function textOf(value: unknown, place: Place): string {
  const found = valueOf(value, place);
  return found === undefined ? "" : String(found);
}

/** A value is written out, or is at a path of the data model. */
function valueOf(value: unknown, { surface, base }: Place): TreeValue | undefined {
  if (isPlain(value)) return value;
  const { path, literalString, literalNumber, literalBoolean, literalArray } = asRecord(value);
  const found: A2uiData[string] | undefined =
    typeof path === "string" ? dataAt(surface.data, splitPath(fullPath(path, base))) : undefined;
  if (Array.isArray(found)) return found.map(String);
  if (isPlain(found)) return found;
  if (isMap(found)) return Object.values(found).map(String);
  if (Array.isArray(literalArray)) return literalArray.map(String);
  return [literalString, literalNumber, literalBoolean].find(isPlain);
}

function isPlain(value: unknown): value is string | number | boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

/** A path with a leading slash begins at the root of the data model. */
function fullPath(path: string, base: string): string {
  return path.startsWith("/") ? path : `${base}/${splitPath(path).join("/")}`;
}

/** A plain value as text. */
function word(value: unknown, otherwise = ""): string {
  return isPlain(value) ? String(value) : otherwise;
}

function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.map(asRecord) : [];
}
