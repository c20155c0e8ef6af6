import { asRecord } from "../core/is-record.ts";
import type { GatewayEvent } from "./open-gateway.ts";

/** What happened in one run of the agent, as far as an order needs to know. */
export type RunEvent =
  | { readonly kind: "status"; readonly activity: string }
  | { readonly kind: "text"; readonly item: string; readonly text: string; readonly media: readonly string[] }
  | { readonly kind: "block"; readonly text: string }
  | { readonly kind: "tool"; readonly name: string }
  | { readonly kind: "heartbeat" }
  | { readonly kind: "final"; readonly text: string }
  | { readonly kind: "error"; readonly message: string }
  | { readonly kind: "aborted"; readonly message: string };

/** undefined if the event belongs to another run: an operator's connection gets the events of all runs. */
export function readRunEvent({ event, payload }: GatewayEvent, runId: string): RunEvent | undefined {
  const facts = asRecord(payload);
  if (facts["runId"] !== runId) return undefined;
  if (event === "chat") return readChat(facts);
  if (event === "agent") return readAgent(facts);
  return { kind: "heartbeat" };
}

type Facts = Readonly<Record<string, unknown>>;

function readChat(facts: Facts): RunEvent {
  switch (facts["state"]) {
    case "status":
      return { kind: "status", activity: phaseText(facts["phase"]) };
    case "final":
      return { kind: "final", text: messageText(facts["message"]) };
    case "error":
      return {
        kind: "error",
        message: asString(facts["errorMessage"]) ?? (messageText(facts["message"]) || "no reason given"),
      };
    case "aborted":
      return { kind: "aborted", message: asString(facts["errorMessage"]) ?? asString(facts["stopReason"]) ?? "" };
    default:
      return { kind: "heartbeat" };
  }
}

function readAgent(facts: Facts): RunEvent {
  const data = asRecord(facts["data"]);
  const text = asString(data["text"]);
  if (facts["stream"] === "assistant" && text !== undefined) {
    const { mediaUrls } = data;
    return {
      kind: "text",
      item: asString(data["itemId"]) ?? "",
      text,
      media: Array.isArray(mediaUrls) ? mediaUrls.map(String) : [],
    };
  }
  // What the agent says before it uses a tool.
  const preamble = asString(data["progressText"]);
  if (facts["stream"] === "item" && data["kind"] === "preamble" && preamble !== undefined) {
    return data["phase"] === "end"
      ? { kind: "block", text: preamble }
      : { kind: "status", activity: shorten(preamble) };
  }
  const name = asString(data["name"]);
  if (facts["stream"] === "tool" && data["phase"] === "start" && name !== undefined) return { kind: "tool", name };
  return { kind: "heartbeat" };
}

/** The text of a chat message. Media come by other events. */
function messageText(message: unknown): string {
  const { content } = asRecord(message);
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.flatMap((part: unknown) => asString(asRecord(part)["text"]) ?? []).join("\n\n");
}

function phaseText(phase: unknown): string {
  return (asString(phase) ?? "working").replaceAll("_", " ");
}

function shorten(text: string): string {
  const line = text.trim().replace(/\s+/g, " ");
  return line.length > 80 ? `${line.slice(0, 79)}…` : line;
}

function asString(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
