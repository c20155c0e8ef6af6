import { readFileSync, writeFileSync } from "node:fs";
import { commandTable } from "../src/cli/command-table.ts";
import { isGroup } from "../src/cli/command.ts";
import { renderHelp } from "../src/cli/output/help.ts";
import { globalOptions } from "../src/cli/options.ts";
import { createStyle } from "../src/cli/output/style.ts";
import type { CheckedSchema } from "../src/core/config/check-value.ts";
import { configSchema } from "../src/core/config/config-schema.ts";
import { readAtStart } from "../src/hub/engine/describe-edit.ts";
import { controlDocs } from "./control-docs.ts";

interface Page {
  readonly file: URL;
  readonly text: string;
}

/** Every page that is made from the code: the configuration, the commands, and the control API. */
export async function referenceDocs(): Promise<readonly Page[]> {
  const [control] = controlDocs();
  return [page("configuration.md", configuration()), page("commands.md", await commands()), control!];
}

const page = (name: string, text: string): Page => ({ file: new URL(`../docs/${name}`, import.meta.url), text });

const configurationHead = `# Configuration

<!-- Made from the schema by \`npm run docs\`. -->

Clawport reads \`clawport.json5\` (JSON5: comments and trailing commas are fine) from the current folder and from the state folder
(\`~/.openclaw/mcp\` unless it is set otherwise); \`--config\` names another file. \`clawport config path\` prints which one is used, \`clawport config check\` finds mistakes, and
\`clawport config schema\` prints the JSON Schema for editors. A running hub takes up an edit at once; keys that are marked *restart* count after the next
start. \`$NAME\`, \`\${NAME}\` and \`\${NAME:-default}\` stand for environment variables. In keys, \`<name>\` is a name of your choice and \`[]\` an entry of a list.
`;

function configuration(): string {
  const sections = Object.entries(configSchema.properties as Record<string, CheckedSchema>);
  const plain = sections.filter(([, schema]) => rowsOf("", schema).length === 0);
  const tables = sections.flatMap(([key, schema]) => {
    const rows = rowsOf(key, schema);
    return rows.length === 0 ? [] : [`## ${key}\n\n${described(key, schema)}\n\n${table(rows)}`];
  });
  const single = plain.map(([key, schema]) => row(key, schema));
  return [configurationHead, ...tables, `## Single keys\n\n${table(single)}`].join("\n").replaceAll("|\n##", "|\n\n##");
}

const table = (rows: readonly string[]): string =>
  ["| key | value | default | restart | what it does |", "| --- | --- | --- | --- | --- |", ...rows].join("\n") + "\n";

/** The keys below this one, depth first. */
function rowsOf(path: string, schema: CheckedSchema): readonly string[] {
  const { properties = {}, patternProperties = {}, items, anyOf = [] } = schema;
  const below = (key: string, part: CheckedSchema): readonly string[] => [row(key, part), ...rowsOf(key, part)];
  return [
    ...Object.entries(properties).flatMap(([key, part]) => below(path === "" ? key : `${path}.${key}`, part)),
    ...Object.values(patternProperties).flatMap((part) => rowsOf(`${path}.<name>`, part)),
    ...(items === undefined ? [] : rowsOf(`${path}[]`, items)),
    ...anyOf.flatMap((part) => rowsOf(path, part)),
  ];
}

function row(key: string, schema: CheckedSchema): string {
  const { default: standard } = schema;
  const isSection = typeof standard === "object" && !Array.isArray(standard);
  const shown = standard === undefined || isSection ? "" : `\`${JSON.stringify(standard)}\``;
  const isRestart = readAtStart.some(
    (start) => key === start || key.startsWith(`${start}.`) || key.startsWith(`${start}[`),
  );
  const cells = [`\`${key}\``, valueText(schema), shown, isRestart ? "restart" : "", described(key, schema)];
  return `| ${cells.map((cell) => cell.replaceAll("|", String.raw`\|`)).join(" | ")} |`;
}

function valueText(schema: CheckedSchema): string {
  const { type, enum: values, items, anyOf, patternProperties } = schema;
  if (values !== undefined) return values.map((value) => `\`${JSON.stringify(value)}\``).join(", ");
  if (anyOf !== undefined) return [...new Set(anyOf.map(valueText))].join(" or ");
  if (items !== undefined) return `list of ${valueText(items)}`;
  if (patternProperties !== undefined) return "object by name";
  return type ?? "any";
}

function described(key: string, schema: CheckedSchema): string {
  const description = schema.description ?? schema.items?.description;
  if (description === undefined) throw new Error(`The configuration key ${key} has no description.`);
  return description.replaceAll("\n", " ");
}

const commandsHead = `# Commands

<!-- Made from the table of commands by \`npm run docs\`. -->

\`clawport <command> --help\` prints the same. Options of every command: ${Object.keys(globalOptions)
  .map((name) => `\`--${name}\``)
  .join(", ")}.
`;

async function commands(): Promise<string> {
  const parts: string[] = [commandsHead];
  for (const [topic, entries] of Map.groupBy(commandTable, ({ topic = "Commands" }) => topic)) {
    parts.push(`## ${topic}\n`);
    for (const { name, load } of entries) {
      const { command } = await load();
      const all = isGroup(command)
        ? command.commands.map((each) => [`${name} ${each.name}`, each] as const)
        : [[name, command] as const];
      parts.push(`### ${name}\n`);
      for (const [title, each] of all) {
        const help = renderHelp(each, `clawport ${title}`, { style: createStyle(false), width: 100 });
        const [own] = help.split("\n\nGlobal options\n");
        parts.push("```", own!, "```\n");
      }
    }
  }
  return parts.join("\n");
}

if (import.meta.main) {
  const stale = (await referenceDocs()).filter(({ file, text }) => {
    let written = "";
    try {
      written = readFileSync(file, "utf8");
    } catch {
      // A page that is not there yet.
    }
    return written !== text;
  });
  if (process.argv.includes("--check")) {
    for (const { file } of stale) console.error(`${file.pathname} is not what the code says. Run \`npm run docs\`.`);
    process.exitCode = stale.length === 0 ? 0 : 1;
  } else for (const { file, text } of stale) writeFileSync(file, text);
}
