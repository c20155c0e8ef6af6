import { parseJson } from "../../core/json.ts";
import type { CallContext } from "../../catalog/call-context.ts";
import type { Guard } from "../../catalog/guard/guard.ts";
import type { CatalogTool } from "../../catalog/source.ts";
import { Fault, isFault } from "../../core/fault.ts";
import { asRecord, isRecord } from "../../core/is-record.ts";
import type { Log } from "../../core/log.ts";
import { quoted, visibleText } from "../../core/text/peer-text.ts";
import { withDeadline } from "../../core/wait.ts";
import type { Progress } from "../../mcp/messages/interim-messages.ts";
import type { ContentBlock, ToolResult } from "../../mcp/messages/tool.ts";
import { type Capability, reasonInText } from "../../sources/machine/capability.ts";
import { withGatewayFields } from "../../sources/machine/machine-source.ts";

/** The event `node.invoke.request` of the gateway. */
export interface InvokeRequest {
  readonly id: string;
  readonly command: string;
  readonly paramsJSON: string;
  readonly timeoutMs: number | undefined;
  readonly idempotencyKey: string | undefined;
  readonly sessionKey: string | undefined;
}

/** The part of `node.invoke.result` that says what came of it. */
export type InvokeAnswer =
  | { readonly ok: true; readonly payloadJSON: string }
  | { readonly ok: false; readonly error: { readonly code: string; readonly message: string } };

/** A command that the gateway may call. */
export interface OfferedCommand {
  readonly capability: Capability;
  readonly tool: CatalogTool;
}

export interface InvokeOptions {
  readonly guard: Pick<Guard, "call">;
  /** Undefined if it is not declared. */
  find(command: string): OfferedCommand | undefined;
  /** Host and port. What the user allows one gateway is not allowed to another. */
  readonly gateway: string;
  readonly log: Log;
  /** The most bytes that a frame to the gateway may have. */
  readonly frameBytes: number;
  readonly signal: AbortSignal;
  progress(progress: Progress): void;
}

const maxNameLength = 200;
/** The longest that a call may wait if the gateway sets no limit; the capability has its own. */
const noLimit = 2 ** 31 - 1;

/** Undefined if the event can't even be answered. */
export function parseInvoke(payload: unknown): InvokeRequest | undefined {
  const { id, command, paramsJSON, timeoutMs, idempotencyKey, sessionKey } = asRecord(payload);
  if (typeof id !== "string" || id === "" || id.length > maxNameLength || typeof command !== "string") return undefined;
  return {
    id,
    command,
    paramsJSON: typeof paramsJSON === "string" ? paramsJSON : "{}",
    timeoutMs: typeof timeoutMs === "number" && timeoutMs > 0 ? timeoutMs : undefined,
    idempotencyKey: boundedText(idempotencyKey),
    sessionKey: boundedText(sessionKey),
  };
}

function boundedText(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" && value.length <= maxNameLength * 5 ? value : undefined;
}

/** Runs a command that the gateway asks for, as any other call: through the guard. Never rejects. */
export async function runInvoke(request: InvokeRequest, options: InvokeOptions): Promise<InvokeAnswer> {
  const offered = options.find(request.command);
  if (offered === undefined)
    return failure("INVALID_REQUEST", `This computer does not offer ${quoted(request.command, 100)} to the gateway.`);
  const args = parseArguments(request.paramsJSON, offered.capability);
  if (args === undefined) return failure("INVALID_REQUEST", "The parameters are not a JSON object.");
  try {
    const result = await withDeadline(request.timeoutMs ?? noLimit, options.signal, (signal) =>
      options.guard.call(offered.tool, args, contextOf(request, options, signal)),
    );
    return answerOf(result, options.frameBytes);
  } catch (error) {
    if (isFault(error, "timeout")) return failure("TIMEOUT", `${request.command} took longer than the gateway waits.`);
    if (isFault(error, "cancelled")) return failure("ABORTED", `${request.command} was cancelled.`);
    if (isFault(error)) return failure("UNAVAILABLE", visibleText(error.message, maxMessageLength));
    options.log.error("a command of the gateway failed unexpectedly", { command: request.command, error });
    return failure("UNAVAILABLE", "Something went wrong on this computer. The log of the node has the details.");
  }
}

/**
 * The gateway adds fields over time, and sends null for what it leaves out: both are dropped. It lets its agents wait longer
 * than a command may run here, 30 minutes unless they say otherwise, and sends 0 for "without limit": then our limit counts.
 */
function parseArguments(json: string, capability: Capability): Record<string, unknown> | undefined {
  let value: unknown;
  try {
    value = parseJson(json);
  } catch {
    return undefined;
  }
  if (!isRecord(value)) return value === null ? {} : undefined;
  const { properties, additionalProperties } = withGatewayFields(capability);
  const known = asRecord(properties);
  const isKnown = (name: string): boolean => additionalProperties !== false || Object.hasOwn(known, name);
  const kept = Object.entries(value).filter(([name, field]) => field !== null && isKnown(name));
  return Object.fromEntries(
    kept.map(([name, field]) => [name, /^timeout(?:Ms)?$/.test(name) ? limited(field, asRecord(known[name])) : field]),
  );
}

function limited(value: unknown, { maximum }: Readonly<Record<string, unknown>>): unknown {
  if (typeof value !== "number" || typeof maximum !== "number") return value;
  return value <= 0 || value > maximum ? maximum : value;
}

function contextOf(request: InvokeRequest, options: InvokeOptions, signal: AbortSignal): CallContext {
  const { sessionKey } = request;
  return {
    caller: { door: "node", sender: options.gateway, ...(sessionKey !== undefined && { sessionKey }) },
    signal,
    log: options.log,
    progress: (progress) => options.progress(progress),
    tell: () => {},
    ask: () => Promise.reject(new Fault("missing-capability", "The gateway can't be asked.")),
  };
}

const maxMessageLength = 4000;
/** What a frame holds beside the payload. */
const frameRest = 8192;

function answerOf(result: ToolResult, frameBytes: number): InvokeAnswer {
  const { content, structuredContent, isError } = result;
  const text = content.find((block) => block.type === "text")?.text ?? "";
  if (isError === true) {
    const code = reasonInText(text);
    const isDenied = asRecord(result._meta)["clawport/code"] === "denied";
    return failure(code ?? (isDenied ? "DENIED" : "UNAVAILABLE"), text);
  }
  const payload = structuredContent ?? { text };
  const base64 = content.map(dataOf).find((data) => data !== undefined);
  const payloadJSON = JSON.stringify(base64 === undefined ? payload : { ...payload, base64 });
  // In the frame it is a string: quotes and backslashes are escaped once more.
  if (Buffer.byteLength(payloadJSON) * 2 > frameBytes && frameSize(payloadJSON) > frameBytes)
    return failure("PAYLOAD_TOO_LARGE", `The answer is larger than the gateway accepts (${frameBytes} bytes).`);
  return { ok: true, payloadJSON };
}

function dataOf(block: ContentBlock): string | undefined {
  if (block.type === "resource") return block.resource.blob;
  return block.type === "image" || block.type === "audio" ? block.data : undefined;
}

function frameSize(payloadJSON: string): number {
  return Buffer.byteLength(JSON.stringify(payloadJSON)) + frameRest;
}

function failure(code: string, text: string): InvokeAnswer {
  const message = visibleText(text, maxMessageLength);
  return { ok: false, error: { code, message: message === "" ? code : message } };
}
