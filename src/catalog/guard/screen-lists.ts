import type { Prompt } from "../../mcp/messages/resources-and-prompts.ts";
import type { Tool } from "../../mcp/messages/tool.ts";
import { measureValue } from "../../mcp/schema/measure-value.ts";
import { type Cleaned, cleanPrompt, cleanTool } from "../clean-definition.ts";
import { cleanText, mayHaveHiddenText } from "../clean-text.ts";
import { assignNames, nameCandidate } from "../names.ts";
import type { Finding } from "../screen/finding.ts";
import type { Source } from "../source.ts";
import type { ListedDefinition } from "./judge-pins.ts";
import { instructionsParts, type PinnedParts, promptParts, toolParts } from "./pin-definition.ts";

/** What is odd about the lists of a source, by the source's own names. */
export interface ListRemarks {
  /** Names that are listed more than once. Only the first tool of each is used. */
  readonly repeated: readonly string[];
  /** Where hidden characters were removed, and how many. */
  readonly cleaned: readonly { readonly name: string; readonly characters: number }[];
  /** Where hidden characters are left, since a call must send them. */
  readonly flagged: readonly { readonly name: string; readonly places: readonly string[] }[];
  /** Definitions that are nested too deep to be sent on. */
  readonly tooDeep: readonly string[];
}

/** A definition without hidden characters, and what is pinned of it. */
export interface ScreenedItem<T> {
  readonly item: T;
  readonly definition: ListedDefinition;
  /** What the configuration says in place of the source. */
  readonly given: Partial<T>;
}

export interface ScreenedLists {
  readonly tools: readonly ScreenedItem<Tool>[];
  readonly prompts: readonly ScreenedItem<Prompt>[];
  readonly remarks: ListRemarks;
}

/** Once for each list that arrives. */
export function screenLists(
  source: Source,
  tools: readonly Tool[],
  prompts: readonly Prompt[],
  read?: ReadDefinition,
): ScreenedLists {
  const repeated = (source.repeatedNames?.() ?? []).slice(0, maxRemarks);
  const remarks = { repeated, cleaned: [], flagged: [], tooDeep: [] };
  const screen = createScreen(source, remarks, read);
  return {
    tools: firstOfEachName(tools, remarks.repeated).flatMap((tool) => {
      const listed = source.asListed?.(tool) ?? tool;
      const given = listed === tool ? {} : overrides(tool, listed);
      return screen("tool", listed, { given, shownName: tool.name, partsOf: toolParts, clean: cleanTool });
    }),
    prompts: firstOfEachName(prompts, remarks.repeated).flatMap((prompt) =>
      screen("prompt", prompt, { given: {}, shownName: prompt.name, partsOf: promptParts, clean: cleanPrompt }),
    ),
    remarks,
  };
}

/** What screening finds in a definition. */
export type ReadDefinition = (parts: PinnedParts) => readonly Finding[];

/** Undefined if the source has none. */
export function screenInstructions(source: Source, text = "", read?: ReadDefinition): ScreenedItem<string> | undefined {
  if (text === "") return undefined;
  const item = cleanText(text);
  const parts = instructionsParts(item);
  const name = () => `${source.id}:instructions`;
  const findings = read && (() => read({ instructions: text }));
  const definition = { kind: "instructions" as const, id: "", name, parts, json: JSON.stringify(parts) };
  return { item, definition: { ...definition, ...(findings && { findings }) }, given: "" };
}

type Remarks = { [Key in keyof ListRemarks]: ListRemarks[Key][number][] };

interface ScreenRules<T> {
  readonly given: Partial<T>;
  readonly shownName: string;
  partsOf(item: T): PinnedParts;
  clean(item: T): Cleaned<T>;
}

/** A real definition is a few levels deep. One that is thousands of levels deep can't be written as JSON. */
const maxDepth = 500;

function createScreen({ id: source, prefix }: Source, remarks: Remarks, read: ReadDefinition | undefined) {
  return <T extends Tool | Prompt>(
    kind: "tool" | "prompt",
    listed: T,
    { given, shownName, partsOf, clean }: ScreenRules<T>,
  ): readonly ScreenedItem<T>[] => {
    const rawParts = partsOf(listed);
    const rawJson = toJson(rawParts);
    if (rawJson === undefined) {
      note(remarks.tooDeep, listed.name);
      return [];
    }
    const name = () => assignNames([nameCandidate({ source, prefix, original: shownName, own: false })])[0]!;
    // What was removed is read, too: it was there to be read by a model.
    const common = { kind, id: listed.name, name, ...(read && { findings: () => read(rawParts) }) };
    if (!mayHaveHiddenText(rawJson)) {
      const item = Object.keys(given).length === 0 ? listed : { ...listed, ...given };
      return [{ item, definition: { ...common, parts: rawParts, json: rawJson }, given }];
    }
    const { item, removed, flagged } = clean(listed);
    if (removed > 0) note(remarks.cleaned, { name: listed.name, characters: removed });
    if (flagged.length > 0) note(remarks.flagged, { name: listed.name, places: flagged });
    const parts = partsOf(item);
    const definition = { ...common, parts, json: JSON.stringify(parts), ...(removed > 0 && { rawParts }) };
    return [{ item: { ...item, ...given }, definition, given }];
  };
}

const maxRemarks = 100;

function note<R>(remarks: R[], remark: R): void {
  if (remarks.length < maxRemarks) remarks.push(remark);
}

/** Undefined if the parts are nested too deep. */
function toJson(parts: PinnedParts): string | undefined {
  try {
    const json = JSON.stringify(parts);
    const isDeep =
      json.length > 2 * maxDepth && measureValue(parts, { depth: maxDepth, nodes: Infinity }) === "too deep";
    return isDeep ? undefined : json;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function firstOfEachName<T extends { readonly name: string }>(list: readonly T[], repeated: string[]): readonly T[] {
  const seen = new Set<string>();
  return list.filter(({ name }) => {
    if (seen.has(name)) note(repeated, name);
    return !seen.has(name) && seen.add(name);
  });
}

function overrides(shown: Tool, listed: Tool): Partial<Tool> {
  return {
    ...(shown.name === listed.name ? {} : { name: shown.name }),
    ...(shown.description === listed.description ? {} : { description: shown.description! }),
    ...(shown.execution === listed.execution ? {} : { execution: shown.execution! }),
  };
}
