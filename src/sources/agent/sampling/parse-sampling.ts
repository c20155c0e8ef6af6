import { Fault } from "../../../core/fault.ts";
import { asRecord } from "../../../core/is-record.ts";
import type { Question } from "../../../mcp/messages/interim-messages.ts";

/** A checked sampling request of a server. */
export interface SamplingRequest {
  readonly messages: readonly SampledMessage[];
  readonly system?: string | undefined;
  readonly maxTokens: number;
  readonly temperature?: number | undefined;
  readonly stopSequences?: readonly string[] | undefined;
}

export interface SampledMessage {
  readonly role: "user" | "assistant";
  readonly parts: readonly SampledPart[];
}

export type SampledPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image" | "audio"; readonly data: string; readonly mimeType: string };

export interface SamplingLimits {
  /** The most that the model may write, whatever the server requests. */
  readonly maxTokens: number;
  /** The most text that it may get. */
  readonly maxCharacters: number;
}

/** Of base64. Media have their own limit: an image of this size takes few tokens. */
const maxMediaCharacters = 8_000_000;

/** Reads the params of `sampling/createMessage`; faults with `bad-params` if they are invalid. */
export function parseSampling({ params = {} }: Question, limits: SamplingLimits): SamplingRequest {
  const { messages, systemPrompt, maxTokens, temperature, stopSequences, tools } = params;
  if (Array.isArray(tools) && tools.length > 0)
    throw new Fault("missing-capability", "Sampling with tools is not supported.");
  if (!Array.isArray(messages) || messages.length === 0)
    throw badRequest("messages must be a list with at least one message");
  const parsed = messages.map(readMessage);
  checkSize(parsed, limits);
  return {
    messages: parsed,
    system: typeof systemPrompt === "string" ? systemPrompt.slice(0, limits.maxCharacters) : undefined,
    maxTokens: isPositive(maxTokens) ? Math.min(Math.floor(maxTokens), limits.maxTokens) : limits.maxTokens,
    temperature: typeof temperature === "number" ? temperature : undefined,
    stopSequences: Array.isArray(stopSequences) ? stopSequences.slice(0, 16).map(String) : undefined,
  };
}

function readMessage(message: unknown): SampledMessage {
  const { role, content } = asRecord(message);
  if (role !== "user" && role !== "assistant") throw badRequest("the role of a message must be user or assistant");
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [content];
  return { role, parts: blocks.map(readPart) };
}

function readPart(block: unknown): SampledPart {
  const { type, text, data, mimeType } = asRecord(block);
  if (type === "text" && typeof text === "string") return { type, text };
  if ((type === "image" || type === "audio") && typeof data === "string" && typeof mimeType === "string")
    return { type, data, mimeType };
  throw badRequest("a message must hold text, an image or audio");
}

function checkSize(messages: readonly SampledMessage[], { maxCharacters }: SamplingLimits): void {
  const parts = messages.flatMap((message) => message.parts);
  const text = parts.reduce((sum, part) => sum + (part.type === "text" ? part.text.length : 0), 0);
  const media = parts.reduce((sum, part) => sum + (part.type === "text" ? 0 : part.data.length), 0);
  if (text > maxCharacters)
    throw new Fault(
      "too-large",
      `A sampling request may have at most ${maxCharacters} characters of text, but has ${text}.`,
    );
  if (media > maxMediaCharacters)
    throw new Fault(
      "too-large",
      `A sampling request may have at most ${maxMediaCharacters} characters of base64, but has ${media}.`,
    );
}

function isPositive(value: unknown): value is number {
  return typeof value === "number" && value >= 1;
}

function badRequest(problem: string): Fault {
  return new Fault("bad-params", `Invalid sampling request: ${problem}.`);
}
