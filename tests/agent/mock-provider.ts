import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { listenHere } from "../support/listen-here.ts";
import { decideAnswer, type MockAnswer, type ModelMessage } from "../openclaw/bench/decide-answer.ts";

/** The wire format of one provider. */
interface Dialect {
  readonly path: RegExp;
  /** The path of its base URL. */
  readonly base: string;
  read(body: WireBody): readonly ModelMessage[];
  stream(answer: Spoken, send: (event: { readonly type?: string }) => void): void;
  failure(message: string): object;
}

type Spoken = Exclude<MockAnswer, { kind: "hang" | "fail" }>;

// Not typed further: the library under test wrote it.
// oxlint-disable-next-line typescript/no-explicit-any
type WireBody = any;

export interface MockProvider extends AsyncDisposable {
  readonly baseUrl: string;
  readonly requests: WireBody[];
  readonly keys: (string | undefined)[];
  nextHanging(): Promise<{ readonly closed: Promise<void> }>;
}

export const dialects: Readonly<Record<"anthropic" | "google", Dialect>> = {
  anthropic: {
    path: /^\/v1\/messages$/,
    base: "/v1",
    read: ({ messages }) => messages.flatMap(readAnthropic),
    stream(answer, send) {
      const usage = { input_tokens: 10, output_tokens: 1 };
      send({
        type: "message_start",
        message: { id: "msg_1", role: "assistant", model: "m", content: [], usage },
      } as object);
      const texts = answer.kind === "text" ? [answer.text] : answer.before === undefined ? [] : [answer.before];
      for (const [index, text] of texts.entries()) {
        send({ type: "content_block_start", index, content_block: { type: "text", text: "" } } as object);
        for (const delta of pieces(text))
          send({ type: "content_block_delta", index, delta: { type: "text_delta", text: delta } } as object);
        send({ type: "content_block_stop", index } as object);
      }
      if (answer.kind === "call") {
        const index = texts.length;
        const block = { type: "tool_use", id: "toolu_1", name: answer.name, input: {} };
        send({ type: "content_block_start", index, content_block: block } as object);
        for (const partial_json of pieces(answer.args))
          send({ type: "content_block_delta", index, delta: { type: "input_json_delta", partial_json } } as object);
        send({ type: "content_block_stop", index } as object);
      }
      const stop_reason = answer.kind === "call" ? "tool_use" : "end_turn";
      send({ type: "message_delta", delta: { stop_reason }, usage: { output_tokens: 5 } } as object);
      send({ type: "message_stop" });
    },
    failure: (message) => ({ type: "error", error: { type: "invalid_request_error", message } }),
  },
  google: {
    path: /^\/v1beta\/models\/[^:]+:streamGenerateContent\?alt=sse$/,
    base: "/v1beta",
    read: ({ contents }) => contents.flatMap(readGoogle),
    stream(answer, send) {
      const part = (content: object, more: object = {}): void =>
        send({ candidates: [{ index: 0, content: { role: "model", parts: [content] }, ...more }] } as object);
      const text = answer.kind === "text" ? answer.text : (answer.before ?? "");
      for (const piece of pieces(text)) part({ text: piece });
      if (answer.kind === "call") part({ functionCall: { name: answer.name, args: JSON.parse(answer.args) } });
      const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 };
      send({
        candidates: [{ index: 0, content: { role: "model", parts: [] }, finishReason: "STOP" }],
        usageMetadata,
      } as object);
    },
    failure: (message) => ({ error: { code: 400, message, status: "INVALID_ARGUMENT" } }),
  },
};

/** A server that speaks as the provider does, and does as the message says; see `decideAnswer`. */
export async function startMockProvider(provider: keyof typeof dialects): Promise<MockProvider> {
  const dialect = dialects[provider];
  const requests: WireBody[] = [];
  const keys: (string | undefined)[] = [];
  let hanging = Promise.withResolvers<{ closed: Promise<void> }>();
  const server = createServer((request, response) => void serve(request, response));
  const listening = await listenHere(server);

  return {
    baseUrl: `${listening.origin}${dialect.base}`,
    requests,
    keys,
    nextHanging: () => hanging.promise,
    [Symbol.asyncDispose]: () => listening[Symbol.asyncDispose](),
  };

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (!dialect.path.test(request.url ?? "")) return void response.writeHead(404).end("{}");
    const body: WireBody = JSON.parse(Buffer.concat(chunks).toString());
    requests.push(body);
    keys.push((request.headers["x-api-key"] ?? request.headers["x-goog-api-key"]) as string | undefined);
    const answer = decideAnswer(dialect.read(body));
    if (answer.kind === "fail") {
      response.writeHead(400, { "content-type": "application/json" });
      return void response.end(JSON.stringify(dialect.failure(answer.message)));
    }
    response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
    if (answer.kind === "hang") {
      hanging.resolve({ closed: new Promise((resolve) => response.once("close", () => resolve())) });
      hanging = Promise.withResolvers();
      return;
    }
    dialect.stream(answer, (event) => {
      const name = event.type === undefined ? "" : `event: ${event.type}\n`;
      response.write(`${name}data: ${JSON.stringify(event)}\n\n`);
    });
    response.end();
  }
}

function readAnthropic({ role, content }: WireBody): readonly ModelMessage[] {
  const blocks: readonly WireBody[] = typeof content === "string" ? [{ type: "text", text: content }] : content;
  return blocks.flatMap((block): readonly ModelMessage[] => {
    if (block.type === "text") return [{ role, content: block.text }];
    if (block.type !== "tool_result") return [];
    return [{ role: "tool", content: typeof block.content === "string" ? block.content : block.content[0]?.text }];
  });
}

function readGoogle({ role, parts }: WireBody): readonly ModelMessage[] {
  return parts.flatMap((part: WireBody): readonly ModelMessage[] => {
    if (part.functionResponse) return [{ role: "tool", content: part.functionResponse.response.content }];
    return part.text === undefined ? [] : [{ role: role === "model" ? "assistant" : "user", content: part.text }];
  });
}

function pieces(text: string): readonly string[] {
  return text.match(/[\s\S]{1,12}/g) ?? [];
}
