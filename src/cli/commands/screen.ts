import type { NamedFinding } from "../../catalog/screen/screen-value.ts";
import { countText } from "../../core/text/count-text.ts";
import type { CommandContext } from "../command-context.ts";
import { defineCommand } from "../command.ts";
import { Fault } from "../../core/fault.ts";

export const command = defineCommand({
  name: "screen",
  summary: "show what the rules of screening find in a server's definitions, or in a file with definitions or a result",
  args: [
    {
      name: "server|file",
      description: "a configured server; or JSON or JSON Lines: a tool, a list of tools, a result, or a folder of them",
    },
  ],
  examples: [
    "clawport screen files",
    "clawport screen tools.json",
    "clawport screen ./definitions --json",
    "clawport screen result.json",
  ],
  async run(context) {
    const { readScreened } = await import("../screened-files.ts");
    const { screenFiles } = await import("../../catalog/screen/screen-value.ts");
    const { isAtLeast } = await import("../../catalog/screen/finding.ts");
    const { quoted } = await import("../../core/text/peer-text.ts");
    const [path = ""] = context.args;
    const { existsSync } = await import("node:fs");
    const { resolve } = await import("node:path");
    const isFile = existsSync(resolve(context.cwd, path)) || /[./\\]/.test(path);
    const found = isFile ? screenFiles(await readScreened(path, context.cwd)) : await findingsOf(path, context);
    if (found === undefined) {
      throw new Fault(
        "bad-params",
        `${quoted(path)} has no definition and no result. A definition has a \`name\` and an \`inputSchema\`, a result has \`content\`.`,
      );
    }
    const { renderTable } = await import("../output/table.ts");
    const serious = found.filter(({ severity }) => isAtLeast(severity, "mark"));
    const text =
      found.length === 0
        ? "Nothing was found."
        : `${renderTable(found, columns, context)}\n\n${countText(found.length, "finding")}. docs/screening.md says what each rule means.`;
    context.answerAsIs(found, text);
    return serious.length > 0 ? 1 : 0;
  },
});

/** What waits for a person to look at it, of the definitions that the server listed last. */
async function findingsOf(server: string, context: CommandContext): Promise<readonly NamedFinding[]> {
  const { openFolderControl } = await import("../../hub/control/folder-control.ts");
  await using opened = await openFolderControl(context);
  const held = (await opened.control.pins.list()).filter(({ source }) => source === server);
  return held.flatMap(({ name, findings }) => findings.map((finding) => ({ tool: name, ...finding })));
}

const columns = [
  { title: "TOOL", text: ({ tool }: NamedFinding) => tool },
  { title: "RULE", text: ({ rule }: NamedFinding) => rule },
  { title: "SEVERITY", text: ({ severity }: NamedFinding) => severity },
  { title: "WHERE", text: ({ where }: NamedFinding) => where },
  { title: "QUOTE", text: ({ quote }: NamedFinding) => quote },
];
