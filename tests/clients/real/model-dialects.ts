import type { ServerResponse } from "node:http";

/** What the scripted model says: a call of a tool, or a text. */
export type Reply =
  | { readonly kind: "call"; readonly tool: OfferedTool; readonly args: object }
  | { readonly kind: "text"; readonly text: string };

/** A tool as a client offers it to its model. */
export interface OfferedTool {
  readonly name: string;
  /** Codex puts the tools of a server into a namespace. */
  readonly namespace?: string;
}

/** One of the four ways in which clients talk to models. */
export interface ModelDialect {
  /** Whether a request to this path is one of its turns. */
  matches(path: string): boolean;
  tools(body: Body): readonly OfferedTool[];
  /** How many results of tools the conversation holds so far. */
  results(body: Body): number;
  answer(response: ServerResponse, body: Body, reply: Reply): void;
}

// oxlint-disable-next-line typescript/no-explicit-any
type Body = any;

const list = (value: unknown): Body[] => (Array.isArray(value) ? value : []);
let counter = 0;

/** Claude Code. */
const anthropic: ModelDialect = {
  matches: (path) => path.startsWith("/v1/messages") && !path.includes("count_tokens"),
  tools: (body) => list(body.tools),
  results: (body) =>
    list(body.messages)
      .flatMap(({ content }) => list(content))
      .filter(({ type }) => type === "tool_result").length,
  answer(response, body, reply) {
    const id = `toolu_${counter++}`;
    const stop_reason = reply.kind === "call" ? "tool_use" : "end_turn";
    const block =
      reply.kind === "call"
        ? { type: "tool_use", id, name: reply.tool.name, input: reply.args }
        : { type: "text", text: reply.text };
    const usage = { input_tokens: 10, output_tokens: 1 };
    const base = { id: `msg_${counter++}`, type: "message", role: "assistant", model: body.model, content: [], usage };
    if (body.stream !== true) return sendJson(response, { ...base, content: [block], stop_reason });
    const send = openEvents(response);
    const event = (type: string, rest: object): void => send({ type, ...rest }, type);
    event("message_start", { message: { ...base, stop_reason: null } });
    const isCall = reply.kind === "call";
    event("content_block_start", {
      index: 0,
      content_block: isCall ? { ...block, input: {} } : { ...block, text: "" },
    });
    const delta = isCall
      ? { type: "input_json_delta", partial_json: JSON.stringify(reply.args) }
      : { type: "text_delta", text: reply.text };
    event("content_block_delta", { index: 0, delta });
    event("content_block_stop", { index: 0 });
    event("message_delta", { delta: { stop_reason }, usage: { output_tokens: 5 } });
    event("message_stop", {});
    response.end();
  },
};

/** Codex. */
const responses: ModelDialect = {
  matches: (path) => path.startsWith("/v1/responses"),
  tools: (body) =>
    list(body.tools).flatMap((tool): OfferedTool[] =>
      tool.type === "namespace"
        ? list(tool.tools).map(({ name }) => ({ name, namespace: tool.name as string }))
        : [{ name: (tool.name ?? tool.type) as string }],
    ),
  results: (body) => list(body.input).filter(({ type }) => String(type).endsWith("_call_output")).length,
  answer(response, body, reply) {
    const id = String(counter++);
    const item =
      reply.kind === "call"
        ? {
            type: "function_call",
            id: `fc_${id}`,
            call_id: `call_${id}`,
            ...reply.tool,
            arguments: JSON.stringify(reply.args),
          }
        : {
            type: "message",
            id: `m_${id}`,
            role: "assistant",
            content: [{ type: "output_text", text: reply.text }],
          };
    const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15 };
    const whole = {
      id: `resp_${id}`,
      object: "response",
      status: "completed",
      model: body.model,
      output: [item],
      usage,
    };
    if (body.stream !== true) return sendJson(response, whole);
    const send = openEvents(response);
    const event = (type: string, rest: object): void => send({ type, ...rest }, type);
    event("response.created", { response: { ...whole, status: "in_progress", output: [] } });
    event("response.output_item.added", { output_index: 0, item });
    event("response.output_item.done", { output_index: 0, item });
    event("response.completed", { response: whole });
    response.end();
  },
};

/** opencode and OpenClaw. */
const chat: ModelDialect = {
  matches: (path) => path.includes("/chat/completions"),
  tools: (body) => list(body.tools).map((tool) => ({ name: tool.function?.name as string })),
  results: (body) => list(body.messages).filter(({ role }) => role === "tool").length,
  answer(response, body, reply) {
    const id = `call_${counter++}`;
    const calls =
      reply.kind === "call"
        ? [
            {
              index: 0,
              id,
              type: "function",
              function: { name: reply.tool.name, arguments: JSON.stringify(reply.args) },
            },
          ]
        : undefined;
    const content = reply.kind === "text" ? reply.text : null;
    const finish_reason = calls ? "tool_calls" : "stop";
    const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
    const base = { id, created: 1, model: body.model };
    if (body.stream !== true) {
      const message = { role: "assistant", content, ...(calls && { tool_calls: calls }) };
      return sendJson(response, {
        ...base,
        object: "chat.completion",
        choices: [{ index: 0, message, finish_reason }],
        usage,
      });
    }
    const send = openEvents(response);
    const chunk = (delta: object, finish: string | null = null): void =>
      send({ ...base, object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: finish }] });
    chunk({ role: "assistant", content: "" });
    chunk(calls ? { tool_calls: calls } : { content });
    chunk({}, finish_reason);
    send({ ...base, object: "chat.completion.chunk", choices: [], usage });
    response.end("data: [DONE]\n\n");
  },
};

/** Gemini CLI. */
const gemini: ModelDialect = {
  matches: (path) => /:(?:streamGenerateContent|generateContent)/.test(path),
  tools: (body) => list(body.tools).flatMap(({ functionDeclarations }) => list(functionDeclarations)),
  results: (body) =>
    list(body.contents)
      .flatMap(({ parts }) => list(parts))
      .filter((part) => part.functionResponse !== undefined).length,
  answer(response, body, reply) {
    const isQuestion =
      (body.generationConfig?.responseJsonSchema ?? body.generationConfig?.responseSchema) !== undefined;
    const verdict = {
      reasoning: "x",
      next_speaker: "user",
      model_choice: "flash",
      complexity_score: 10,
      complexity_reasoning: "x",
    };
    const part =
      reply.kind === "call"
        ? { functionCall: { id: `fc_${counter++}`, name: reply.tool.name, args: reply.args } }
        : { text: isQuestion ? JSON.stringify(verdict) : reply.text };
    const candidates = [{ content: { role: "model", parts: [part] }, finishReason: "STOP", index: 0 }];
    const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 };
    const whole = { candidates, usageMetadata, modelVersion: "scripted" };
    if (!String(response.req.url).includes("stream")) return sendJson(response, whole);
    openEvents(response)(whole);
    response.end();
  },
};

export const modelDialects: readonly ModelDialect[] = [anthropic, responses, chat, gemini];

export function sendJson(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
}

function openEvents(response: ServerResponse): (data: unknown, event?: string) => void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  return (data, event) =>
    void response.write(`${event === undefined ? "" : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`);
}
