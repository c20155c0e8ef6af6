import { asRecord } from "../core/is-record.ts";
import type { GatewayEvent } from "./open-gateway.ts";

/** What happened in one run of the agent, as far as an order wants to know. */
export type RunEvent =
  | { readonly kind: "status"; readonly words: string }
  | { readonly kind: "text"; readonly item: string; readonly text: string; readonly media: readonly string[] }
  | { readonly kind: "block"; readonly text: string }
  | { readonly kind: "tool"; readonly name: string }
  | { readonly kind: "sign-of-life" }
  | { readonly kind: "final"; readonly text: string }
  | { readonly kind: "error"; readonly message: string }
  | { readonly kind: "aborted"; readonly message: string };

/** Nothing where the event belongs to another run: an operator's connection hears of all of them. */
export function readRunEvent({ event, payload }: GatewayEvent, runId: string): RunEvent | undefined {
  const facts = asRecord(payload);
  if (facts["runId"] !== runId) return undefined;
  if (event === "chat") return readChat(facts);
  if (event === "agent") return readAgent(facts);
  return { kind: "sign-of-life" };
}

type Facts = Readonly<Record<string, unknown>>;

function readChat(facts: Facts): RunEvent {
  switch (facts["state"]) {
    case "status":
      return { kind: "status", words: words(facts["phase"]) };
    case "final":
      return { kind: "final", text: messageText(facts["message"]) };
    case "error":
      return {
        kind: "error",
        message: string(facts["errorMessage"]) ?? (messageText(facts["message"]) || "no reason given"),
      };
    case "aborted":
      return { kind: "aborted", message: string(facts["errorMessage"]) ?? string(facts["stopReason"]) ?? "" };
    default:
      return { kind: "sign-of-life" };
  }
}

function readAgent(facts: Facts): RunEvent {
  const data = asRecord(facts["data"]);
  const text = string(data["text"]);
  if (facts["stream"] === "assistant" && text !== undefined) {
    const { mediaUrls } = data;
    return {
      kind: "text",
      item: string(data["itemId"]) ?? "",
      text,
      media: Array.isArray(mediaUrls) ? mediaUrls.map(String) : [],
    };
  }
  // What the agent says before it uses a tool.
  const preamble = string(data["progressText"]);
  if (facts["stream"] === "item" && data["kind"] === "preamble" && preamble !== undefined) {
    return data["phase"] === "end" ? { kind: "block", text: preamble } : { kind: "status", words: brief(preamble) };
  }
  const name = string(data["name"]);
  if (facts["stream"] === "tool" && data["phase"] === "start" && name !== undefined) return { kind: "tool", name };
  return { kind: "sign-of-life" };
}

/** The texts of a chat message; what is not text comes by other ways. */
function messageText(message: unknown): string {
  const { content } = asRecord(message);
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.flatMap((part: unknown) => string(asRecord(part)["text"]) ?? []).join("\n\n");
}

function words(phase: unknown): string {
  return (string(phase) ?? "working").replaceAll("_", " ");
}

function brief(text: string): string {
  const line = text.trim().replace(/\s+/g, " ");
  return line.length > 80 ? `${line.slice(0, 79)}…` : line;
}

function string(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
