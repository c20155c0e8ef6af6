import { Type } from "./schema-type.ts";
import { maxTimerMs } from "../wait.ts";
import type { ConfigFinding } from "./check-value.ts";

const model = Type.Object(
  {
    name: Type.String({
      minLength: 1,
      description:
        "`anthropic/<model>`, `openai/<model>`, `google/<model>`, or with `url` the name the server at that address knows.",
    }),
    provider: Type.Optional(
      Type.Enum(["anthropic", "openai", "google"], {
        description: "The API that the server at `url` speaks; OpenAI's by default.",
      }),
    ),
    url: Type.Optional(
      Type.String({
        pattern: "^https?://",
        description: "An OpenAI-compatible address, such as http://127.0.0.1:11434/v1 for Ollama.",
      }),
    ),
    apiKey: Type.Optional(Type.String({ description: "The API key. Prefer an environment variable: `$MY_KEY`." })),
    maxSteps: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1000, description: "Model calls per order; 25 by default." }),
    ),
    maxTokens: Type.Optional(
      Type.Integer({ minimum: 1000, description: "Tokens per order, input and output; 1,000,000 by default." }),
    ),
    prices: Type.Optional(
      Type.Object(
        {
          input: Type.Number({ minimum: 0, description: "Price of a million input tokens." }),
          output: Type.Number({ minimum: 0, description: "Price of a million output tokens." }),
        },
        { additionalProperties: false, description: "What the model costs, in any currency." },
      ),
    ),
    maxCost: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        description: "The most an order may cost, in the currency of `prices`; the model stops there.",
      }),
    ),
    contextTokens: Type.Optional(
      Type.Integer({
        minimum: 2000,
        description: "Length of a conversation, in tokens, at which it is summarized; 60,000 by default.",
      }),
    ),
  },
  { additionalProperties: false, description: "A model that works with the catalog's tools." },
);

const transcription = Type.Object(
  {
    command: Type.Optional(
      Type.Array(Type.String(), {
        description:
          "A program and its arguments, started without a shell. `{file}` is replaced by the path of the audio; the program writes the transcript to stdout.",
      }),
    ),
    env: Type.Optional(
      Type.Record(Type.String(), Type.String({ description: "A value; `$NAME` is replaced from the environment." }), {
        description: "Environment variables for the command besides the usual ones, such as an API key.",
      }),
    ),
    url: Type.Optional(
      Type.String({
        pattern: "^https?://",
        description:
          "An OpenAI-compatible address instead of a command. The audio is sent to its `/audio/transcriptions`.",
      }),
    ),
    model: Type.Optional(
      Type.String({ minLength: 1, description: "The model at that address; whisper-1 by default." }),
    ),
    apiKey: Type.Optional(Type.String({ description: "The API key for that address. Prefer `$MY_KEY`." })),
    timeoutMs: Type.Optional(
      Type.Integer({
        minimum: 1000,
        maximum: maxTimerMs,
        description: "Milliseconds that one transcription may take; 120,000 by default.",
      }),
    ),
  },
  {
    additionalProperties: false,
    description: "Turns the audio of an order into text. Without it, audio is passed on as a file.",
  },
);

const sampling = Type.Object(
  {
    maxTokens: Type.Optional(
      Type.Integer({
        minimum: 1,
        description: "The most tokens the model writes for a server per request; 4096 by default.",
      }),
    ),
  },
  {
    additionalProperties: false,
    description:
      "Lets MCP servers use the model. The policy decides which of them may, as tools named `sampling__<server>`.",
  },
);

/** Which agent takes the orders of `order_openclaw`. */
export const agentSchema = Type.Object(
  {
    backend: Type.Enum(["auto", "gateway", "model", "commands"], {
      default: "auto",
      description: "A running OpenClaw, a model, or plain commands. `auto` uses the first that is available.",
    }),
    id: Type.String({ default: "main", minLength: 1, description: "Which agent of OpenClaw takes the orders." }),
    idleTimeoutMs: Type.Optional(
      Type.Integer({
        minimum: 1000,
        maximum: maxTimerMs,
        description:
          "Milliseconds without a sign of life from the agent after which an order is stopped; 600,000 by default.",
      }),
    ),
    taskAfterMs: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: maxTimerMs,
        description:
          "Milliseconds after which a client that supports tasks gets a task instead of waiting; 10,000 by default.",
      }),
    ),
    maxAnswerBytes: Type.Optional(
      Type.Integer({
        minimum: 1000,
        maximum: 52_428_800,
        description:
          "Bytes of text and decoded media in one answer; 52,428,800 by default. Larger media are saved to a file. 7,000,000 suits clients that accept 10 MiB over stdio.",
      }),
    ),
    model: Type.Optional(model),
    transcription: Type.Optional(transcription),
    sampling: Type.Optional(sampling),
  },
  { additionalProperties: false, default: {}, description: "Which agent takes the orders of order_openclaw." },
);

export type AgentConfig = Type.Static<typeof agentSchema>;
export type ModelConfig = Type.Static<typeof model>;
export type TranscriptionConfig = Type.Static<typeof transcription>;

/** What a schema can't express: which fields belong together. */
export function checkAgentConfig({ model, transcription }: AgentConfig): readonly ConfigFinding[] {
  const findings = [
    ...(model === undefined ? [] : checkModel(model)),
    ...(transcription === undefined ? [] : checkTranscription(transcription)),
  ];
  return findings.map((found) => ({ ...found, path: ["agent", ...found.path] }));
}

function checkModel({ name, provider, url, prices, maxCost }: ModelConfig): ConfigFinding[] {
  const findings: ConfigFinding[] = [];
  if (provider === undefined && url === undefined && !/^(?:anthropic|openai|google)\/./.test(name)) {
    const message =
      "needs its provider in front (anthropic/…, openai/…, google/…), or the `url` of a server that has it";
    findings.push({ path: ["model", "name"], message });
  }
  if (maxCost !== undefined && prices === undefined) {
    const message = "needs `prices`: without them the cost of an order is unknown";
    findings.push({ path: ["model", "maxCost"], message });
  }
  return findings;
}

function checkTranscription({ command, url }: TranscriptionConfig): ConfigFinding[] {
  const path = ["transcription"];
  if (command === undefined && url === undefined) return [{ path, message: "needs a `command` or a `url`" }];
  if (command === undefined) return [];
  if (url !== undefined) return [{ path, message: "has a `url` and a `command`; keep one of them" }];
  if (command.slice(1).some((argument) => argument.includes("{file}"))) return [];
  const message = "needs {file} in one of its arguments, where the path of the audio goes";
  return [{ path: [...path, "command"], message }];
}
