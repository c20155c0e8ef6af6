import { createOneOffTool } from "../../catalog/one-off-tool.ts";
import { faultFromResult, type Guard } from "../../catalog/guard/guard.ts";
import type { Tool } from "../../mcp/messages/tool.ts";
import { agentCallContext } from "../../sources/agent/agent-tools.ts";
import type { ReplyOptions } from "../../sources/agent/reply-backend.ts";
import { type ConfigEditor, type ConnectRequest, runConnect } from "./connect.ts";
import type { VerbContext, VerbResult } from "./verb.ts";

export interface AddServerRequest extends ConnectRequest {
  readonly context: VerbContext;
  readonly order: ReplyOptions;
  readonly guard: Pick<Guard, "call">;
  openEditor(signal: AbortSignal): Promise<ConfigEditor>;
}

/** Without hints, so that the guard takes it for as dangerous as any tool can be. */
const tool: Tool = {
  name: "mcp_connect",
  description: "Adds an MCP server to Clawport's configuration and connects to it.",
  inputSchema: { type: "object" },
};

/** Adds a server for an order. The guard judges that like a tool call of who placed the order. */
export async function addServer({
  context,
  order,
  guard,
  openEditor,
  ...request
}: AddServerRequest): Promise<VerbResult> {
  let done: VerbResult | undefined;
  const addition = createOneOffTool("agent", tool, async (_name, _args, { signal }) => {
    done = await runConnect(context, await openEditor(signal), request);
    return { content: [{ type: "text", text: done.text }], isError: !done.ok };
  });
  const { words, name } = request;
  const result = await guard.call(addition, { address: words[0], name }, agentCallContext(order, tool.name));
  const fault = faultFromResult(result);
  if (fault !== undefined || done === undefined) throw fault ?? new TypeError("the guard neither refused nor ran it");
  return done;
}
