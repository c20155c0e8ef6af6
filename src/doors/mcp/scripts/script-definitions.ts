import type { Tool } from "../../../mcp/messages/tool.ts";

export const runScriptTool: Tool = {
  name: "run_script",
  title: "Run a script",
  description:
    'Runs JavaScript or TypeScript over the tools, so that many calls, loops and joins take one step and only the returned value comes back: `const found = await tools.server.tool({ … }); return found.map((each) => each.title);`. Also: tools.search("…"), tools.describe("server.tool"), results.read(id), progress(text, part), sleep(ms), input, console.log. Promise.all runs calls side by side. A call gives its structured result, else parsed JSON, else text, and throws an error with code and message. No network, files, modules or timers.',
  inputSchema: {
    type: "object",
    properties: {
      code: { type: "string", minLength: 1, description: "The body of an async function; return the value you want." },
      input: { description: "Any JSON, as `input` in the script." },
      timeoutMs: { type: "integer", minimum: 1, description: "How long it may take." },
    },
    required: ["code"],
    additionalProperties: false,
  },
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  execution: { taskSupport: "optional" },
};

export const scriptResultTool: Tool = {
  name: "script_result",
  title: "Result of a script",
  description:
    "Waits a while for a script that takes longer, and answers with its result or how far it is. Without an id: your scripts.",
  inputSchema: {
    type: "object",
    properties: { id: { type: "string", maxLength: 100, description: "As run_script named it." } },
    additionalProperties: false,
  },
  annotations: { readOnlyHint: true, openWorldHint: false },
  execution: { taskSupport: "optional" },
};
