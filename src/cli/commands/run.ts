import { defineCommand } from "../command.ts";
import { Fault, messageOf } from "../../core/fault.ts";

export const command = defineCommand({
  name: "run",
  summary: "run a script over the tools of the hub, and print what it returns",
  args: [{ name: "file", description: "JavaScript or TypeScript; - reads it from stdin" }],
  options: {
    input: { type: "string", value: "<json>", description: "what the script finds in `input`" },
  },
  examples: [
    'clawport run issues.ts --input \'{"repo": "app"}\'',
    "echo 'return tools.search(\"create an issue\")' | clawport run -",
  ],
  async run(context) {
    const { readFile } = await import("node:fs/promises");
    const { resolve } = await import("node:path");
    const { text: readAll } = await import("node:stream/consumers");
    const { openControl } = await import("../../hub/open-control.ts");
    const { createTerminalCall } = await import("../terminal/terminal-call.ts");
    const { renderResult } = await import("../output/render-result.ts");
    const { faultFromResult } = await import("../../catalog/guard/guard.ts");
    const { runScriptTool, scriptResultTool } = await import("../../doors/mcp/scripts/script-definitions.ts");
    const { scriptMeta } = await import("../../doors/mcp/scripts/script-answers.ts");
    const [file = ""] = context.args;
    const { options, cwd, stdin, stdout, env } = context;
    const code = file === "-" ? await readAll(stdin) : await readFile(resolve(cwd, file), "utf8");
    const input = options.input === undefined ? undefined : parseInput(options.input);
    const opened = await openControl(context, { servers: "none" }, false);
    const call = createTerminalCall(context, opened.control.approvals);
    try {
      const { control, home, hub } = opened;
      if (hub === undefined) throw new Fault("unavailable", "Scripts run in the hub. Start it with `clawport up`.");
      let result = await control.tools.call(
        { ...runScriptTool, ...owned },
        { code, ...(input !== undefined && { input }) },
        call,
      );
      for (let id = result._meta?.[scriptMeta]; typeof id === "string"; id = result._meta?.[scriptMeta])
        result = await control.tools.call({ ...scriptResultTool, ...owned }, { id }, call);
      call.end();
      const fault = faultFromResult(result);
      if (fault) throw fault;
      const folder = home.file("results");
      const { data, text } = await renderResult(result, { tool: "run_script", folder, stdout, env, at: new Date() });
      context.answerAsIs(data, text);
      return result.isError === true ? 1 : 0;
    } finally {
      call.end();
      await opened.close();
    }
  },
});

/** Whose they are, as tools are listed. */
const owned = { source: "scripts" } as const;

function parseInput(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Fault("usage", `--input must be JSON: ${messageOf(error)}.`);
  }
}
