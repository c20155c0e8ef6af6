import { defineCommand } from "../command.ts";
import { trustOption } from "../options.ts";
import { pruneFolder, resultsBounds } from "../../core/files/prune-folder.ts";

export const command = defineCommand({
  name: "call",
  summary: "call a tool and print its answer",
  args: [
    { name: "tool", description: "its name, as `clawport tools` shows it", completes: "tools" },
    {
      name: "argument",
      description:
        "key=value; a.b=value for a nested field; repeat a key for a list; or a JSON object; or - to read JSON from stdin",
      optional: true,
      rest: true,
    },
  ],
  options: {
    save: {
      type: "string",
      value: "<folder>",
      completes: "folder",
      description: "save images, audio and files of the answer here (default: in the state folder)",
    },
    ...trustOption,
  },
  examples: [
    "clawport call notes__add --help",
    "clawport call notes__add text='Buy milk' tags=home tags=today",
    'clawport call notes__search \'{"query": "milk", "limit": 3}\'',
    "jq -n '{path: \"a.txt\"}' | clawport call files__read_file - --json",
  ],
  async help(context) {
    const { runPresentation } = await import("../run-presentation.ts");
    const { explainTool } = await import("../../hub/presentation/describe-tool.ts");
    const [tool = ""] = context.args;
    return runPresentation(context, {
      need: { tool },
      trust: context.options.trust,
      run: (handler) => explainTool(handler, tool),
    });
  },
  async run(context) {
    const { resolve } = await import("node:path");
    const { text: readAll } = await import("node:stream/consumers");
    const { openControl } = await import("../../hub/open-control.ts");
    const { createTerminalCall } = await import("../terminal/terminal-call.ts");
    const { renderResult } = await import("../output/render-result.ts");
    const { faultFromResult } = await import("../../catalog/guard/guard.ts");
    const { runCall } = await import("../../hub/presentation/call.ts");
    const [tool = "", ...words] = context.args;
    const { options, cwd, stdin, stdout, env } = context;
    const opened = await openControl(context, { tool }, options.trust === true);
    const call = createTerminalCall(context, opened.hub === undefined ? undefined : opened.control.approvals);
    try {
      const { control, home } = opened;
      const request = { tool, words, readInput: () => readAll(stdin) };
      const result = await runCall({ control, prefix: "clawport", now: Date.now }, request, call);
      call.end();
      // A refusal or failure that does not come from the tool itself is not an answer: it has its own exit code.
      const fault = faultFromResult(result);
      if (fault) throw fault;
      const folder = options.save === undefined ? home.file("results") : resolve(cwd, options.save);
      const { data, text } = await renderResult(result, { tool, folder, stdout, env, at: new Date() });
      context.answerAsIs(data, text);
      if (options.save === undefined) {
        await pruneFolder(folder, context.log, Date.now(), resultsBounds);
      }
      return result.isError === true ? 1 : 0;
    } finally {
      call.end();
      await opened.close();
    }
  },
});
