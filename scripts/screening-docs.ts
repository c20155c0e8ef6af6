import { readFileSync, writeFileSync } from "node:fs";
import { ruleTable } from "../src/catalog/screen/rule-table.ts";

const page = new URL("../docs/screening.md", import.meta.url);
const mark = "-->\n\n";
const longestExample = 160;

/** The page with the list of rules as the table has them. */
export function screeningDocs(): { readonly file: URL; readonly text: string } {
  const rules = ruleTable().map(({ id, why, reads, catches, passes }) =>
    [
      `### ${id}`,
      "",
      `${why[0]!.toUpperCase()}${why.slice(1)}. ${reads.map(({ subject, severity }) => `${subject}: \`${severity}\``).join(", ")}.`,
      "",
      ...catches.map((example) => `- found: ${shown(example)}`),
      ...passes.map((example) => `- not found: ${shown(example)}`),
    ].join("\n"),
  );
  const written = readFileSync(page, "utf8");
  const head = written.slice(0, written.indexOf(mark) + mark.length);
  return { file: page, text: `${head}${rules.join("\n\n")}\n` };
}

/** On one line, with what does not print escaped. */
function shown(example: string): string {
  const printed = Array.from(JSON.stringify(example).slice(1, -1).replaceAll('\\"', '"'))
    .map(printable)
    .join("")
    .replaceAll(/ {5,}/g, " … ")
    .replaceAll(/(?:\\n){3,}/g, "\\n…\\n");
  const fence = printed.includes("`") ? "``" : "`";
  return `${fence}${printed.length > longestExample ? `${printed.slice(0, longestExample)}…` : printed}${fence}`;
}

const printable = (character: string): string =>
  /[\p{L}\p{N}\p{P}\p{S} ]/u.test(character) ? character : `\\u{${character.codePointAt(0)!.toString(16)}}`;

if (import.meta.main) {
  const { file, text } = screeningDocs();
  writeFileSync(file, text);
}
