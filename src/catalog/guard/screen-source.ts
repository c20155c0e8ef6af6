import { parseJson } from "../../core/json.ts";
import { type Log, silentLog } from "../../core/log.ts";
import type { Prompt, Resource, ResourceTemplate } from "../../mcp/messages/resources-and-prompts.ts";
import type { Tool } from "../../mcp/messages/tool.ts";
import { countCharacters } from "../../mcp/schema/measure-value.ts";
import { cleanResource } from "../clean-definition.ts";
import type { Source } from "../source.ts";
import { isHeldBack, type ListedDefinition, type PinRules, shownOf } from "./judge-pins.ts";
import type { Pin } from "./pin-file.ts";
import type { PinnedServer } from "./pinned-server.ts";
import {
  type ListRemarks,
  type ScreenedItem,
  type ScreenedLists,
  screenInstructions,
  screenLists,
} from "./screen-lists.ts";

export interface ScreenOptions {
  readonly pinned: PinnedServer;
  rules(): PinRules;
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
export function screenSource(source: Source, { pinned, rules, log = silentLog }: ScreenOptions): ScreenedSource {
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

  return {
    source: wrap(source, current, (listener) => {
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
        stopSource();
        stopPins();
      };
    }),
    heldBack: (item) => held.get(item),
    report: () => ({ ...lists.remarks, ...instructionsRemarks(), heldBack, leftOut }),
  };

  function current(): RawLists {
    const raw = { tools: source.tools(), prompts: source.prompts?.() ?? none, instructions: source.instructions?.() };
    const isSameLists = raw.tools === seen?.tools && raw.prompts === seen.prompts;
    if (isSameLists && raw.instructions === seen?.instructions) return shown;
    seen = raw;
    hasArrived ||= raw.tools.length + raw.prompts.length > 0;
    if (!isSameLists) screen(raw);
    instructions = screenInstructions(source, raw.instructions);
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
    lists = screenLists(source, raw.tools, raw.prompts);
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
      const item = choice === "pinned" ? restore(screened, pin, before) : screened.item;
      if (isHeldBack(pin, rules())) {
        heldBack++;
        held.set(item, screened.definition);
      }
      return choice === "hidden" ? [] : [item];
    });
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

/** The source with other lists. Sources are plain objects whose methods need no `this`. */
function wrap(source: Source, current: () => RawLists, onChange: Source["onChange"]): Source {
  const { resources, resourceTemplates } = source;
  const cleanResources = cached<Resource>();
  const cleanTemplates = cached<ResourceTemplate>();
  return {
    ...source,
    tools: () => current().tools,
    ...(source.prompts && { prompts: () => current().prompts }),
    ...(source.instructions && { instructions: () => current().instructions }),
    ...(resources && { resources: () => cleanResources(resources()) }),
    ...(resourceTemplates && { resourceTemplates: () => cleanTemplates(resourceTemplates()) }),
    onChange,
  };
}

/** The same array while the list is the same. */
function cached<T extends Resource | ResourceTemplate>(): (list: readonly T[]) => readonly T[] {
  let seen: readonly T[] | undefined;
  let cleaned: readonly T[] = none;
  return (list) => {
    if (list !== seen) cleaned = list.map((each) => cleanResource(each).item);
    seen = list;
    return cleaned;
  };
}

function logRemarks(server: string, { repeated, cleaned, flagged, tooDeep }: ListRemarks, log: Log): void {
  const namesOf = (list: readonly { readonly name: string }[]) => list.slice(0, mostLogged).map(({ name }) => name);
  if (repeated.length > 0) {
    const tools = repeated.slice(0, mostLogged);
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

const mostLogged = 5;
