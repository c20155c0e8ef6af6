import { parseJson } from "../../core/json.ts";
import { type Log, silentLog } from "../../core/log.ts";
import type { Prompt, Resource, ResourceTemplate } from "../../mcp/messages/resources-and-prompts.ts";
import type { Tool } from "../../mcp/messages/tool.ts";
import { countCharacters } from "../../mcp/schema/measure-value.ts";
import { cleanResource } from "../clean-definition.ts";
import { isAtLeast } from "../screen/finding.ts";
import type { Connecting, Source } from "../source.ts";
import { isHeldBack, type ListedDefinition, type PinRules, shownOf } from "./judge-pins.ts";
import type { Pin } from "./pin-file.ts";
import type { PinnedServer } from "./pinned-server.ts";
import {
  type ListRemarks,
  type ReadDefinition,
  type ScreenedItem,
  type ScreenedLists,
  screenInstructions,
  screenLists,
} from "./screen-lists.ts";
import { withholdResourceWords, withholdWords } from "./findings/withhold-words.ts";

export interface ScreenOptions {
  readonly pinned: PinnedServer;
  rules(): PinRules;
  /** How definitions are read, beside these tools of the server; undefined if they are not. */
  reader?(tools: readonly Tool[]): ReadDefinition | undefined;
  /** Makes `reader` ready; undefined if it is. */
  loadReader?(): Promise<unknown> | undefined;
  readonly log?: Log;
}

/** A source as the catalog shows it. */
export interface ScreenedSource {
  readonly source: Source;
  /** The definition behind a shown tool or prompt that can't be used without an answer; undefined for any other. */
  heldBack(shown: Tool | Prompt): ListedDefinition | undefined;
  report(): ScreenReport;
}

export interface ScreenReport extends ListRemarks {
  /** How many definitions wait for an answer. */
  readonly heldBack: number;
  /** How many definitions are not shown since there is no room to pin them. */
  readonly leftOut: number;
}

interface RawLists {
  readonly tools: readonly Tool[];
  readonly prompts: readonly Prompt[];
  readonly instructions: string | undefined;
}

/** Loading takes a fraction of a second; on a busy machine it takes longer. */
const loadPatienceMs = 10_000;
const none: readonly never[] = [];
const noLists: ScreenedLists = {
  tools: none,
  prompts: none,
  remarks: { repeated: none, cleaned: none, flagged: none, tooDeep: none },
};

/**
 * Everything that a model or a person reads about a source passes here, once for each list that arrives: hidden
 * characters are removed, and what a server has changed is replaced with what is pinned, or left out.
 */
export function screenSource(source: Source, options: ScreenOptions): ScreenedSource {
  const { pinned, rules, log = silentLog } = options;
  let seen: RawLists | undefined;
  let hasArrived = false;
  let lists = noLists;
  let instructions: ScreenedItem<string> | undefined;
  let shown: RawLists = { tools: none, prompts: none, instructions: undefined };
  /** By what is shown of them. */
  let held = new Map<unknown, ListedDefinition>();
  let restored = new Map<string, unknown>();
  let heldBack = 0;
  let leftOut = 0;
  const listeners = new Set<() => void>();
  let loading: Promise<void> | undefined;

  return {
    source: wrap(source, current, { isLoading, connecting, reader: () => options.reader?.([]) }, (listener) => {
      listeners.add(listener);
      const stopSource = source.onChange(() => {
        hasArrived = true;
        // Now, not when the list is next read: a change that is taken back before that counts, too.
        current();
        listener();
      });
      const stopPins = pinned.onChange(() => {
        show();
        listener();
      });
      return () => {
        listeners.delete(listener);
        stopSource();
        stopPins();
      };
    }),
    heldBack: (item) => held.get(item),
    report: () => ({ ...lists.remarks, ...instructionsRemarks(), heldBack, leftOut }),
  };

  /** Nothing is shown until it can be read. */
  function isLoading(): boolean {
    const ready = options.loadReader?.();
    if (ready === undefined) return false;
    loading ??= showOnce(ready);
    return true;
  }

  /** A call that comes before anything is shown waits for it, as it waits for a server that connects. */
  function connecting(): Connecting | undefined {
    const own = source.connecting?.();
    if (!isLoading()) return own;
    const settled = loading!.then(() => source.connecting?.()?.settled);
    return { settled, patienceMs: Math.max(own?.patienceMs ?? 0, loadPatienceMs) };
  }

  async function showOnce(ready: Promise<unknown>): Promise<void> {
    try {
      await ready;
    } catch (error) {
      log.error("could not load screening; nothing of the server is shown", { server: source.id, error });
      return;
    }
    current();
    for (const listener of listeners) listener();
  }

  function current(): RawLists {
    if (isLoading()) return shown;
    const raw = { tools: source.tools(), prompts: source.prompts?.() ?? none, instructions: source.instructions?.() };
    const isSameLists = raw.tools === seen?.tools && raw.prompts === seen.prompts;
    if (isSameLists && raw.instructions === seen?.instructions) return shown;
    seen = raw;
    hasArrived ||= raw.tools.length + raw.prompts.length > 0;
    if (!isSameLists) screen(raw);
    instructions = screenInstructions(source, raw.instructions, options.reader?.(raw.tools));
    try {
      pinned.judge(hasArrived ? definitions() : instructionsOnly(), hasArrived);
    } catch (error) {
      log.error("could not read the pins; nothing of the server is shown", { server: source.id, error });
      [lists, instructions] = [noLists, undefined];
    }
    show();
    return shown;
  }

  function screen(raw: RawLists): void {
    const before = JSON.stringify(lists.remarks);
    lists = screenLists(source, raw.tools, raw.prompts, options.reader?.(raw.tools));
    if (JSON.stringify(lists.remarks) !== before) logRemarks(source.id, lists.remarks, log);
  }

  function instructionsOnly(): readonly ListedDefinition[] {
    return instructions === undefined ? [] : [instructions.definition];
  }

  function definitions(): readonly ListedDefinition[] {
    return [...[...lists.tools, ...lists.prompts].map(({ definition }) => definition), ...instructionsOnly()];
  }

  function instructionsRemarks(): Pick<ListRemarks, "cleaned"> {
    const { cleaned } = lists.remarks;
    const raw = seen?.instructions;
    if (raw === undefined || instructions === undefined || raw === instructions.item) return { cleaned };
    const characters = countCharacters(raw) - countCharacters(instructions.item);
    return { cleaned: [...cleaned, { name: "instructions", characters }] };
  }

  /** Decides what is shown of each definition: for each list that arrives, and after each answer. */
  function show(): void {
    const before = restored;
    [held, restored, heldBack, leftOut] = [new Map(), new Map(), 0, 0];
    const [text] = showItems(instructions === undefined ? [] : [instructions], before);
    shown = {
      tools: showItems(lists.tools, before),
      prompts: showItems(lists.prompts, before),
      instructions: text === "" ? undefined : text,
    };
  }

  function showItems<T>(items: readonly ScreenedItem<T>[], before: ReadonlyMap<string, unknown>): readonly T[] {
    return items.flatMap((screened): readonly T[] => {
      const pin = pinned.pinOf(screened.definition);
      if (pin === undefined) {
        leftOut++;
        return [];
      }
      const choice = shownOf(pin, rules());
      const item =
        choice === "pinned"
          ? restore(screened, pin, before)
          : choice === "withheld"
            ? withhold(screened, pin, before)
            : screened.item;
      if (isHeldBack(pin, rules())) {
        heldBack++;
        held.set(item, screened.definition);
      }
      return choice === "hidden" ? [] : [item];
    });
  }

  function withhold<T>({ item, definition }: ScreenedItem<T>, pin: Pin, before: ReadonlyMap<string, unknown>): T {
    const key = JSON.stringify(["withheld", definition.kind, definition.id, pin.hash]);
    const shown = before.get(key) ?? withholdWords(item as Tool | Prompt | string);
    restored.set(key, shown);
    return shown as T;
  }

  /** The pinned definition: the same object as before while the pin is the same. */
  function restore<T>({ given, definition }: ScreenedItem<T>, pin: Pin, before: ReadonlyMap<string, unknown>): T {
    const key = JSON.stringify([definition.kind, definition.id, pin.hash, given]);
    const item = before.get(key) ?? itemOf(pin, given);
    restored.set(key, item);
    return item as T;
  }
}

function itemOf({ kind, definition = "{}" }: Pin, given: unknown): unknown {
  const parts = parseJson(definition) as Record<string, unknown>;
  return kind === "instructions" ? parts.instructions : Object.assign(parts, given);
}

interface ReadingState {
  isLoading(): boolean;
  connecting(): Connecting | undefined;
  reader(): ReadDefinition | undefined;
}

/** The source with other lists. Sources are plain objects whose methods need no `this`. */
function wrap(
  source: Source,
  current: () => RawLists,
  { isLoading, connecting, reader }: ReadingState,
  onChange: Source["onChange"],
): Source {
  const { resources, resourceTemplates } = source;
  const cleanResources = cached<Resource>(reader);
  const cleanTemplates = cached<ResourceTemplate>(reader);
  return {
    ...source,
    tools: () => current().tools,
    connecting,
    ...(source.prompts && { prompts: () => current().prompts }),
    ...(source.instructions && { instructions: () => current().instructions }),
    ...(resources && { resources: () => (isLoading() ? none : cleanResources(resources())) }),
    ...(resourceTemplates && { resourceTemplates: () => (isLoading() ? none : cleanTemplates(resourceTemplates())) }),
    onChange,
  };
}

/** The same array while the list is the same. */
function cached<T extends Resource | ResourceTemplate>(
  reader: () => ReadDefinition | undefined,
): (list: readonly T[]) => readonly T[] {
  let seen: readonly T[] | undefined;
  let cleaned: readonly T[] = none;
  return (list) => {
    if (list !== seen) {
      const read = reader();
      cleaned = list.map((each) => shownResource(each, read));
    }
    seen = list;
    return cleaned;
  };
}

/** Resources are not pinned: one whose words a person should see is shown without them. */
function shownResource<T extends Resource | ResourceTemplate>(resource: T, read: ReadDefinition | undefined): T {
  const { item } = cleanResource(resource);
  const { name, title, description } = resource;
  const isFlagged = read?.({ name, title, description }).some(({ severity }) => isAtLeast(severity, "ask"));
  return isFlagged === true ? withholdResourceWords(item) : item;
}

function logRemarks(server: string, { repeated, cleaned, flagged, tooDeep }: ListRemarks, log: Log): void {
  const namesOf = (list: readonly { readonly name: string }[]) => list.slice(0, maxLogged).map(({ name }) => name);
  if (repeated.length > 0) {
    const tools = repeated.slice(0, maxLogged);
    log.warn("a server lists a name more than once; only the first is used", { server, count: repeated.length, tools });
  }
  if (cleaned.length > 0) {
    const where = namesOf(cleaned);
    log.warn("hidden characters were removed from a server's texts", { server, count: cleaned.length, where });
  }
  if (flagged.length > 0) {
    const where = namesOf(flagged);
    log.warn("hidden characters are left in a server's schemas", { server, count: flagged.length, where });
  }
  if (tooDeep.length > 0) log.warn("a server's tool is nested too deep and is left out", { server, tools: tooDeep });
}

const maxLogged = 5;
