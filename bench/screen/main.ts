import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { isAtLeast } from "../../src/catalog/screen/finding.ts";
import { indexTools } from "../../src/catalog/screen/neighbours.ts";
import { screenArguments } from "../../src/catalog/screen/screen-arguments.ts";
import { screenDefinition, surroundings } from "../../src/catalog/screen/screen-definition.ts";
import { screenResultAtOnce } from "../../src/catalog/screen/screen-result.ts";
import type { Tool, ToolResult } from "../../src/mcp/messages/tool.ts";

/** One line of the corpus; see `corpus/README.md`. */
interface Item {
  readonly id: string;
  readonly kind: "definition" | "arguments" | "result";
  readonly label: "malicious" | "harmless";
  readonly class: string;
  readonly language: string;
  readonly set: "open" | "aside";
  readonly tool: Tool;
  readonly arguments?: unknown;
  readonly result?: ToolResult;
  readonly server?: { readonly name?: string; readonly otherTools?: readonly (Tool & { readonly server?: unknown })[] };
}

type Definition = Readonly<Record<string, unknown>>;

/** Whether a person would be asked, or a notice put in front. */
function isFound(item: Item): boolean {
  if (item.kind === "arguments")
    return screenArguments(item.tool, item.arguments).some(({ severity }) => isAtLeast(severity, "ask"));
  if (item.kind === "result")
    return screenResultAtOnce(item.result ?? {}).some(({ severity }) => isAtLeast(severity, "mark"));
  const { name = "", otherTools = [] } = item.server ?? {};
  const siblings = [...otherTools.filter(({ server }) => server === undefined), item.tool];
  const others = otherTools.flatMap(({ server, name: tool }) =>
    server === undefined ? [] : [{ server: serverName(server), name: tool }],
  );
  const around = surroundings(name, siblings as unknown as Definition[], indexTools(others));
  return screenDefinition(item.tool as unknown as Definition, around).some(({ severity }) =>
    isAtLeast(severity, "ask"),
  );
}

const serverName = (server: unknown): string =>
  typeof server === "string" ? server : String((server as { name?: string }).name);

const percent = (part: number, whole: number): string => (whole === 0 ? "-" : `${((100 * part) / whole).toFixed(1)} %`);

function report(items: readonly Item[], kind: Item["kind"], set: Item["set"]): void {
  const chosen = items.filter((item) => item.kind === kind && item.set === set);
  const found = new Set(chosen.filter(isFound));
  console.log(`\n## ${kind}, ${set}\n`);
  console.log("| class | label | items | found | |\n| --- | --- | --- | --- | --- |");
  const row = (title: string, label: string, some: readonly Item[]): void => {
    const count = some.filter((item) => found.has(item)).length;
    console.log(`| ${title} | ${label} | ${some.length} | ${count} | ${percent(count, some.length)} |`);
  };
  for (const label of ["malicious", "harmless"] as const) {
    const ofLabel = chosen.filter((item) => item.label === label);
    for (const name of new Set(ofLabel.map((item) => item.class)))
      row(
        name,
        label,
        ofLabel.filter((item) => item.class === name),
      );
    for (const language of new Set(ofLabel.map((item) => item.language)))
      row(
        `in ${language}`,
        label,
        ofLabel.filter((item) => item.language === language),
      );
    row("**all**", label, ofLabel);
  }
}

/** Definitions of real servers, `server__tool`, a line each. They are other people's, so the file is given as an argument. */
function reportReal(path: string): void {
  const bytes = readFileSync(path);
  const text = (path.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8");
  const tools = text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Tool);
  const listed = tools.map((tool) => {
    const [server = "", ...rest] = tool.name.split("__");
    return { server, name: rest.join("__"), tool };
  });
  const before = process.cpuUsage();
  const directory = indexTools(listed);
  const around = new Map(
    [...new Set(listed.map(({ server }) => server))].map((server) => {
      const own = listed.filter((each) => each.server === server).map(({ name, tool }) => ({ ...tool, name }));
      return [server, surroundings(server, own, directory)];
    }),
  );
  const hits = listed.flatMap(({ server, name, tool }) => {
    const findings = screenDefinition({ ...tool, name }, around.get(server)).filter(({ severity }) =>
      isAtLeast(severity, "ask"),
    );
    return findings.length === 0 ? [] : [{ name: tool.name, findings }];
  });
  const { user, system } = process.cpuUsage(before);
  console.log(`\n## ${listed.length} real tools\n`);
  console.log(
    `${hits.length} held or asked about (${percent(hits.length, listed.length)}), in ${Math.round((user + system) / 1000)} ms of processor time, cold.\n`,
  );
  for (const { name, findings } of hits)
    for (const { rule, severity, where, quote } of findings)
      console.log(`- ${name}: ${rule} (${severity}) in ${where}: ${quote}`);
}

const folder = new URL("corpus/", import.meta.url);
const read = (name: string): readonly Item[] =>
  readFileSync(new URL(`${name}.jsonl`, folder), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Item);
const [real] = process.argv.slice(2);
if (real !== undefined) reportReal(real);
const items = ["definitions", "arguments", "results"].flatMap(read);
for (const kind of ["definition", "arguments", "result"] as const)
  for (const set of ["open", "aside"] as const) report(items, kind, set);
