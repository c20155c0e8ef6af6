import { initialize, type Answer, type RawClient } from "./raw-client.ts";

/** A call that changes nothing and needs no network. */
export interface HarmlessCall {
  readonly tool: string;
  readonly args?: Readonly<Record<string, unknown>>;
}

export const parts = [
  "instructions",
  "tools",
  "prompts",
  "resources",
  "resourceTemplates",
  "reads",
  "prompt texts",
  "call",
  "unknown field",
  "wrong type",
] as const;
export type Part = (typeof parts)[number];

export interface Compared {
  readonly part: Part;
  /** `documented` if the docs say what differs. */
  readonly verdict: "equal" | "documented" | "differs";
  /** How much it was: items of a list, characters of an answer. */
  readonly size: number;
  /** What differs, and how. */
  readonly note?: string;
}

const lists = [
  ["tools/list", "tools"],
  ["prompts/list", "prompts"],
  ["resources/list", "resources"],
  ["resources/templates/list", "resourceTemplates"],
] as const;

/** What a server says to a client of its own and to one of the hub's, compared as JSON text, byte for byte. */
export async function compareServer(direct: RawClient, hub: RawClient, { tool, args = {} }: HarmlessCall) {
  const both = [direct, hub] as const;
  const compared: Compared[] = [];
  const [own, through] = await Promise.all(both.map(initialize));
  compared.push(compareTexts("instructions", own, through));
  const offered: Record<string, Answer[]> = {};
  for (const [method, key] of lists) {
    const [listed, shown] = await Promise.all(both.map((client) => readList(client, method, key)));
    compared.push(compareTexts(key, listed, shown, key === "tools" ? asOptionalTasks : undefined));
    offered[key] = listed.items;
  }
  const asks: readonly (readonly [Part, string, readonly object[]])[] = [
    ["reads", "resources/read", offered.resources!.map(({ uri }) => ({ uri }))],
    ["prompt texts", "prompts/get", offered.prompts!.flatMap(promptParams)],
  ];
  for (const [part, method, params] of asks) {
    const [answers, same] = await Promise.all(both.map((client) => askAll(client, method, params)));
    compared.push(compareTexts(part, answers, same));
  }
  const schema = offered.tools!.find(({ name }) => name === tool)?.inputSchema;
  if (schema === undefined) throw new Error(`there is no tool ${tool}`);
  const calls: readonly (readonly [Part, object])[] = [
    ["call", args],
    ["unknown field", { ...args, notDeclared: true }],
    ...wrongType(schema, args),
  ];
  for (const [part, given] of calls) {
    // One after the other: both may want the same file.
    const answer = await direct.ask("tools/call", { name: tool, arguments: given });
    const same = await hub.ask("tools/call", { name: tool, arguments: given });
    const hinted = part === "call" ? undefined : (expected: Answer) => withHintOf(same, expected);
    compared.push(compareTexts(part, answer, same, hinted));
  }
  return compared;
}

/** All pages together, as the hub offers them. A server without such things is one that has none. */
async function readList(client: RawClient, method: string, key: string): Promise<Answer> {
  const items: Answer[] = [];
  for (let cursor: string | undefined; ;) {
    const { [key]: page = [], nextCursor, error: _, ...rest } = await client.ask(method, { cursor });
    items.push(...page);
    if (nextCursor === undefined) return { items, ...rest };
    cursor = nextCursor;
  }
}

async function askAll(client: RawClient, method: string, all: readonly object[]): Promise<Answer> {
  const items: Answer[] = [];
  for (const params of all) items.push(await client.ask(method, params));
  return { items };
}

/** Without the arguments that it declares, and with them. */
function promptParams({ name, arguments: declared = [] }: Answer): object[] {
  const filled = Object.fromEntries(declared.map((each: Answer) => [each.name, "1"]));
  return [{ name, arguments: {} }, ...(declared.length > 0 ? [{ name, arguments: filled }] : [])];
}

function compareTexts(part: Part, own: Answer, through: Answer, documented?: (own: Answer) => Answer): Compared {
  const [expected, seen] = [JSON.stringify(own) ?? "", JSON.stringify(through) ?? ""];
  const size = own?.items?.length ?? expected.length;
  if (seen === expected) return { part, verdict: "equal", size };
  if (documented && seen === JSON.stringify(documented(own))) return { part, verdict: "documented", size };
  let at = 0;
  while (at < expected.length && expected[at] === seen[at]) at++;
  const from = Math.max(0, at - 60);
  const excerpt = (text: string) => text.slice(from, from + 160);
  return {
    part,
    verdict: "differs",
    size,
    note: `directly …${excerpt(expected)}…, through the hub …${excerpt(seen)}…`,
  };
}

/** docs/servers.md, Tasks: a tool that runs only as a task can also be waited for. */
function asOptionalTasks({ items, ...rest }: Answer): Answer {
  const shown = items.map((tool: Answer) =>
    tool.execution?.taskSupport === "required"
      ? { ...tool, execution: { ...tool.execution, taskSupport: "optional" } }
      : tool,
  );
  return { items: shown, ...rest };
}

const hint = "Hint: the arguments differ from the tool's schema: ";

/** docs/servers.md, Call a tool: an error over arguments that differ from the schema has one hint more. */
function withHintOf(through: Answer, own: Answer): Answer {
  const last = through.content?.at(-1);
  if (own.isError === true && last?.type === "text" && last.text.startsWith(hint))
    return { ...own, content: [...own.content, last] };
  const line = through.error?.message.split("\n").at(-1);
  return own.error && line?.startsWith(hint)
    ? { error: { ...own.error, message: `${own.error.message}\n${line}` } }
    : own;
}

/** The first field gets another type. A tool without fields has no such call. */
function wrongType(schema: Answer, args: object): [Part, object][] {
  const [name] = Object.keys(args).concat(Object.keys(schema.properties ?? {}));
  if (name === undefined) return [];
  const value = schema.properties?.[name]?.type === "object" ? 7 : { not: "declared" };
  return [["wrong type", { ...args, [name]: value }]];
}
