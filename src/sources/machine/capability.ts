import type { Advice } from "../../catalog/advice.ts";
import type { Caller } from "../../catalog/caller.ts";
import { Fault, type FaultCode } from "../../core/fault.ts";
import type { Log } from "../../core/log.ts";
import type { Progress } from "../../mcp/messages/interim-messages.ts";
import type { ContentBlock, JsonSchema, ToolAnnotations } from "../../mcp/messages/tool.ts";

/** What a call can do to this computer and its user. */
export type Risk = "read" | "sensitive-read" | "write" | "exec";

/**
 * Whether a call needs the user's consent. `off`: it never runs. `ask`: each call asks. `session`: the first call asks,
 * and the answer counts until the node stops. `always`: it runs without a question.
 */
export type ConsentMode = "off" | "ask" | "session" | "always";

/** Whether this computer has what the capability needs. */
export type Availability =
  | { readonly ok: true }
  | {
      readonly ok: false;
      /** A clause without a full stop: `no display was found`. */
      readonly reason: string;
      /** What brings it, as a sentence without a full stop: ``run `apt-get install xclip` ``. */
      readonly fix?: string | undefined;
    };

export const available: Availability = Object.freeze({ ok: true });

/** One thing that this computer can do. Registering it makes it a tool at every door. */
export interface Capability {
  /** The command as OpenClaw knows it: `system.which`. Its first word is the category that the gateway sees. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly risk: Risk;
  /** Applies unless the configuration or the user says otherwise. */
  readonly consent: ConsentMode;
  readonly input: JsonSchema;
  readonly output: JsonSchema;
  /** Beside what follows from the risk. */
  readonly annotations?: ToolAnnotations;
  /** Fields that only the OpenClaw gateway may send, by name. Other callers are refused. */
  readonly gatewayFields?: Readonly<Record<string, JsonSchema>>;
  /** Never declared to the gateway. */
  readonly localOnly?: boolean;
  /** Looks at this computer now. Without it the capability is always available. */
  probe?(): Availability | Promise<Availability>;
  /** What else has a say in whether this call may run. */
  judge?(args: CapabilityArgs, caller: Caller): Advice | undefined | Promise<Advice | undefined>;
  /** The arguments fit the schema. What it throws becomes a result with `isError`. */
  run(args: CapabilityArgs, context: CapabilityContext): Promise<CapabilityAnswer> | CapabilityAnswer;
}

export type CapabilityArgs = Readonly<Record<string, unknown>>;

export interface CapabilityContext {
  readonly caller: Caller;
  /** Aborts when the call is cancelled, when its time is up, and when the node stops. */
  readonly signal: AbortSignal;
  readonly log: Log;
  progress(progress: Progress): void;
}

export interface CapabilityAnswer {
  /** In OpenClaw's shape, without any base64: the structured result of MCP, and the payload for the gateway. */
  readonly payload: Readonly<Record<string, unknown>>;
  /** What a model reads first; the payload as JSON unless given. */
  readonly text?: string;
  /** Images, sound and links. The gateway gets the data of the first of them as `base64` in the payload. */
  readonly media?: readonly ContentBlock[];
}

/** Why a capability failed. The message begins with the code that OpenClaw's nodes use: `CLIPBOARD_UNAVAILABLE: …`. */
export class CapabilityFault extends Fault {
  readonly reason: string;

  constructor(reason: string, message: string, options: { readonly code?: FaultCode; readonly cause?: unknown } = {}) {
    super(options.code ?? "unavailable", `${reason}: ${message}`, { cause: options.cause });
    this.reason = reason;
  }
}

/** The code at the beginning of a failure's text. */
export function reasonInText(text: string): string | undefined {
  return /^([A-Z][A-Z_]{2,63}): /.exec(text)?.[1];
}

/** For arguments that no schema can refuse. */
export function invalidRequest(message: string): CapabilityFault {
  return new CapabilityFault("INVALID_REQUEST", message, { code: "bad-params" });
}

const unavailableReasons: Readonly<Record<string, string>> = {
  clipboard: "CLIPBOARD_UNAVAILABLE",
  location: "LOCATION_UNAVAILABLE",
  git: "GIT_NOT_FOUND",
  camera: "CAMERA_UNAVAILABLE",
  screen: "SCREEN_UNAVAILABLE",
  canvas: "CANVAS_UNAVAILABLE",
  tts: "TTS_UNAVAILABLE",
  stt: "STT_ENGINE_UNAVAILABLE",
  windows: "WINDOWS_UNAVAILABLE",
};

/** The fault of a capability that this computer lacks something for. */
export function unavailableFault({ name }: Capability, missing: Extract<Availability, { ok: false }>): CapabilityFault {
  return new CapabilityFault(unavailableReason(name), `${name} can't be used: ${unavailableText(missing)}`);
}

/** The code of OpenClaw's nodes for a capability that does not work. */
export function unavailableReason(name: string): string {
  const [category = ""] = name.split(".");
  return name === "system.notify" ? "NOTIFICATIONS_UNAVAILABLE" : (unavailableReasons[category] ?? "UNAVAILABLE");
}

/** What is missing and what brings it, as one sentence. */
export function unavailableText(availability: Extract<Availability, { ok: false }>): string {
  const { reason, fix } = availability;
  return fix === undefined ? `${reason}.` : `${reason}; ${fix}.`;
}

/** The hints of MCP that follow from the risk. */
export function annotationsOf({ risk, title, annotations }: Capability): ToolAnnotations {
  const reads = risk === "read" || risk === "sensitive-read";
  return {
    title,
    readOnlyHint: reads,
    destructiveHint: risk === "exec",
    idempotentHint: risk === "read",
    openWorldHint: risk === "exec",
    ...annotations,
  };
}
