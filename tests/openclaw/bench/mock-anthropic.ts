import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { listenHere } from "../../support/listen-here.ts";

export interface MockAnthropic extends AsyncDisposable {
  readonly baseUrl: string;
  /** Names of the MCP tools the client has shown its model. */
  readonly tools: ReadonlySet<string>;
}

interface MessagesRequest {
  readonly model: string;
  readonly stream?: boolean;
  readonly tools?: readonly { readonly name: string }[];
  readonly messages: readonly { readonly content: unknown }[];
}

/** A model that calls the named tool once and then says what came back. */
export async function startMockAnthropic(tool: string, input: object): Promise<MockAnthropic> {
  const tools = new Set<string>();
  const server = createServer((request, response) => void serve(request, response));
  const listening = await listenHere(server);
  return {
    baseUrl: listening.origin,
    tools,
    [Symbol.asyncDispose]: () => listening[Symbol.asyncDispose](),
  };

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    if (request.url?.includes("count_tokens")) return void response.end('{"input_tokens":10}');
    if (!request.url?.startsWith("/v1/messages")) return void response.writeHead(404).end("{}");
    const message = JSON.parse(Buffer.concat(pieces).toString()) as MessagesRequest;
    for (const { name } of message.tools ?? []) if (name.startsWith("mcp__")) tools.add(name);
    const isAnswered = JSON.stringify(message.messages).includes('"tool_result"');
    const block: Block =
      !isAnswered && tools.has(tool)
        ? { type: "tool_use", id: "toolu_1", name: tool, input }
        : { type: "text", text: `FINAL ${JSON.stringify(message.messages.at(-1)?.content)}` };
    answer(response, message, block);
  }
}

type Block =
  | { readonly type: "tool_use"; readonly id: string; readonly name: string; readonly input: object }
  | { readonly type: "text"; readonly text: string };

function answer(response: ServerResponse, { model, stream }: MessagesRequest, block: Block): void {
  const isCall = block.type === "tool_use";
  const stop_reason = isCall ? "tool_use" : "end_turn";
  const usage = { input_tokens: 10, output_tokens: 1 };
  const base = { id: "msg_1", type: "message", role: "assistant", model, content: [], stop_reason: null, usage };
  if (stream !== true) return void response.end(JSON.stringify({ ...base, content: [block], stop_reason }));
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (type: string, rest: object): void =>
    void response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`);
  send("message_start", { message: base });
  const content_block = isCall ? { ...block, input: {} } : { type: "text", text: "" };
  send("content_block_start", { index: 0, content_block });
  const delta = isCall
    ? { type: "input_json_delta", partial_json: JSON.stringify(block.input) }
    : { type: "text_delta", text: block.text };
  send("content_block_delta", { index: 0, delta });
  send("content_block_stop", { index: 0 });
  send("message_delta", { delta: { stop_reason }, usage: { output_tokens: 5 } });
  send("message_stop", {});
  response.end();
}
