import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { listenHere } from "./listen-here.ts";
import { type MockAnswer, decideAnswer, type ModelMessage } from "../openclaw/bench/decide-answer.ts";

export interface ModelRequest {
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly { readonly function: { readonly name: string } }[];
}

/** A model that speaks the chat-completions protocol and does as the message says; see `decideAnswer`. */
export interface MockModel extends AsyncDisposable {
  readonly baseUrl: string;
  /** What it was asked so far, oldest first. */
  readonly requests: readonly ModelRequest[];
  /** Resolves when the next request that hangs has come. */
  nextHanging(): Promise<{ readonly closed: Promise<void> }>;
}

export async function startMockModel(): Promise<MockModel> {
  const requests: ModelRequest[] = [];
  let hanging = Promise.withResolvers<{ closed: Promise<void> }>();
  const server = createServer((request, response) => void serve(request, response));
  const listening = await listenHere(server);

  return {
    baseUrl: `${listening.origin}/v1`,
    requests,
    nextHanging: () => hanging.promise,
    [Symbol.asyncDispose]: () => listening[Symbol.asyncDispose](),
  };

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!request.url?.endsWith("/chat/completions")) {
      response.end(JSON.stringify({ object: "list", data: [{ id: "mock-1", object: "model" }] }));
      return;
    }
    const body = await readJson(request);
    requests.push(body);
    const answer = decideAnswer(body.messages);
    if (answer.kind === "hang") {
      const closed = new Promise<void>((resolve) => response.once("close", () => resolve()));
      hanging.resolve({ closed });
      hanging = Promise.withResolvers();
      response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
      return;
    }
    if (answer.kind === "fail") {
      response.writeHead(400, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: { message: answer.message, type: "invalid_request_error" } }));
      return;
    }
    if (body.stream === true) streamAnswer(response, answer);
    else response.end(JSON.stringify({ ...base, choices: [wholeChoice(answer)], usage }));
  }
}

const base = { id: "chatcmpl-mock", object: "chat.completion", created: 1, model: "mock-1" };
const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

type SpokenAnswer = Exclude<MockAnswer, { kind: "hang" | "fail" }>;

function toolCalls({ name, args }: Extract<MockAnswer, { kind: "call" }>) {
  const id = `call_${Math.random().toString(36).slice(2, 10)}`;
  return [{ index: 0, id, type: "function", function: { name, arguments: args } }];
}

function wholeChoice(answer: SpokenAnswer) {
  const message =
    answer.kind === "text"
      ? { role: "assistant", content: answer.text }
      : { role: "assistant", content: answer.before ?? null, tool_calls: toolCalls(answer) };
  return { index: 0, message, finish_reason: answer.kind === "text" ? "stop" : "tool_calls" };
}

function streamAnswer(response: ServerResponse, answer: SpokenAnswer): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const chunk = { ...base, object: "chat.completion.chunk" };
  const send = (value: object): void => void response.write(`data: ${JSON.stringify({ ...chunk, ...value })}\n\n`);
  const delta = (part: object, finish: string | null = null): void =>
    send({ choices: [{ index: 0, delta: part, finish_reason: finish }] });
  delta({ role: "assistant", content: "" });
  const text = (answer.kind === "text" ? answer.text : answer.before) ?? "";
  for (let at = 0; at < text.length; at += 12) delta({ content: text.slice(at, at + 12) });
  if (answer.kind === "call") delta({ tool_calls: toolCalls(answer) });
  delta({}, answer.kind === "text" ? "stop" : "tool_calls");
  send({ choices: [], usage });
  response.end("data: [DONE]\n\n");
}

async function readJson(request: IncomingMessage): Promise<ModelRequest & { readonly stream?: boolean }> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return JSON.parse(Buffer.concat(pieces).toString()) as ModelRequest & { readonly stream?: boolean };
}
