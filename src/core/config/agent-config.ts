import { Type } from "typebox";
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
        description: "Which of them the server at `url` speaks like; without it, like OpenAI.",
      }),
    ),
    url: Type.Optional(
      Type.String({
        pattern: "^https?://",
        description: "An OpenAI-compatible address, such as http://127.0.0.1:11434/v1 for Ollama.",
      }),
    ),
    apiKey: Type.Optional(Type.String({ description: "The key; better a name of the environment: `$MY_KEY`." })),
    maxSteps: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, description: "Model calls per order; 25." })),
    maxTokens: Type.Optional(Type.Integer({ minimum: 1000, description: "Tokens per order, in and out; 1,000,000." })),
    prices: Type.Optional(
      Type.Object(
        {
          input: Type.Number({ minimum: 0, description: "A million tokens that the model reads." }),
          output: Type.Number({ minimum: 0, description: "A million tokens that it writes." }),
        },
        { additionalProperties: false, description: "What the model costs, in any one currency." },
      ),
    ),
    maxCost: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        description: "Money per order, in the currency of `prices`: beyond it the model is stopped.",
      }),
    ),
    contextTokens: Type.Optional(
      Type.Integer({ minimum: 2000, description: "How long a conversation gets before it is summed up; 60,000." }),
    ),
  },
  { additionalProperties: false, description: "A model for the agent loop over the tools." },
);

const transcription = Type.Object(
  {
    command: Type.Optional(
      Type.Array(Type.String(), {
        description:
          "A program and its arguments, started without a shell. `{file}` stands for the path of the audio; what it writes to stdout is the transcript.",
      }),
    ),
    env: Type.Optional(
      Type.Record(Type.String(), Type.String({ description: "A value; `$NAME` is taken from the environment." }), {
        description: "Variables for the command besides the usual ones, such as a key it needs.",
      }),
    ),
    url: Type.Optional(
      Type.String({
        pattern: "^https?://",
        description:
          "An OpenAI-compatible address instead of a command; the audio is sent to its `/audio/transcriptions`.",
      }),
    ),
    model: Type.Optional(Type.String({ minLength: 1, description: "The model at that address; whisper-1." })),
    apiKey: Type.Optional(Type.String({ description: "The key for that address; better `$MY_KEY`." })),
    timeoutMs: Type.Optional(
      Type.Integer({
        minimum: 1000,
        maximum: maxTimerMs,
        description: "How long one transcription may take; 120,000.",
      }),
    ),
  },
  {
    additionalProperties: false,
    description: "What turns audio into text before an order is handed on; without it audio goes along as a file.",
  },
);

const sampling = Type.Object(
  {
    maxTokens: Type.Optional(
      Type.Integer({ minimum: 1, description: "What the model writes for a server at most, per request; 4096." }),
    ),
  },
  {
    additionalProperties: false,
    description:
      "The model, lent to MCP servers that ask for one. Who may have it is the policy's to say, of tools named `sampling__<server>`.",
  },
);

/** Who takes the orders of `order_openclaw`. */
export const agentSchema = Type.Object(
  {
    backend: Type.Enum(["auto", "gateway", "model", "commands"], {
      default: "auto",
      description: "A running OpenClaw, a model, or neither. `auto` takes the first that is there.",
    }),
    id: Type.String({ default: "main", minLength: 1, description: "Which agent of OpenClaw takes the orders." }),
    idleTimeoutMs: Type.Optional(
      Type.Integer({
        minimum: 1000,
        maximum: maxTimerMs,
        description: "How long nothing may be heard from the agent before an order is stopped; 600,000.",
      }),
    ),
    taskAfterMs: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: maxTimerMs,
        description: "How long an order takes before a client that knows tasks gets one instead of waiting; 10,000.",
      }),
    ),
    model: Type.Optional(model),
    transcription: Type.Optional(transcription),
    sampling: Type.Optional(sampling),
  },
  { additionalProperties: false, default: {}, description: "Who takes the orders of order_openclaw." },
);

export type AgentConfig = Type.Static<typeof agentSchema>;
export type ModelConfig = Type.Static<typeof model>;
export type TranscriptionConfig = Type.Static<typeof transcription>;

/** What a schema can't say of the agent: which fields belong together. */
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
    const message = "needs `prices`: without them nobody knows what an order costs";
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
