import type { Advice } from "../../catalog/advice.ts";
import { type Caller, callerScopeKey, scopeOfCaller } from "../../catalog/caller.ts";
import { Fault } from "../../core/fault.ts";
import { stampFile } from "../../core/files/file-stamp.ts";
import { openStateFile } from "../../core/files/state-file.ts";
import { isRecord } from "../../core/is-record.ts";
import { type Log, silentLog } from "../../core/log.ts";
import type { Capability, ConsentMode } from "./capability.ts";

/** What the user has decided about a capability, or about one command that `system.run` was to start. */
export interface ConsentGrant {
  readonly capability: string;
  readonly choice: "always" | "never";
  /** The caller it is about; every caller unless given. */
  readonly caller?: string;
  /** The process until whose end it counts; for good unless given. */
  readonly session?: string;
  readonly at: string;
}

export interface Consent {
  /** Undefined if the capability may be used. */
  adviceOn(capability: Capability, caller: Caller): Promise<Advice | undefined>;
  /** Replaces `machine.consent` of the configuration, from now on. */
  setModes(modes: ConsentOptions["modes"]): void;
  /** What applies to callers that the user has decided nothing about. */
  modeOf(capability: Capability): ConsentMode;
  /** What has been decided. Session grants of processes that have ended are left out. */
  list(): Promise<readonly ConsentGrant[]>;
  decide(grant: Omit<ConsentGrant, "at">): Promise<void>;
  /** Removes the decisions about a capability. Returns how many there were. */
  forget(capability: string): Promise<number>;
}

export interface ConsentOptions {
  /** `machine/consent.json` in the state folder. */
  readonly file: string;
  /** `machine.consent` of the configuration: by capability, or by category. */
  readonly modes: Readonly<Record<string, ConsentMode>>;
  /** Names this process, for what counts until it ends. */
  readonly session: string;
  readonly clock?: () => number;
  readonly log?: Log;
}

const maxGrants = 2000;

export function openConsent(options: ConsentOptions): Consent {
  const { file, session, clock = Date.now, log = silentLog } = options;
  let { modes } = options;
  const state = openStateFile<readonly ConsentGrant[]>({ path: file, parse: parseGrants, empty: [], log });
  /** Answers that count until this process ends. */
  const approved = new Set<string>();
  let known: readonly ConsentGrant[] = [];
  let stamp = "";

  async function read(): Promise<readonly ConsentGrant[]> {
    const newStamp = await stampFile(file);
    if (newStamp !== stamp) {
      known = newStamp === "" ? [] : await state.read();
      stamp = newStamp;
    }
    return known.filter((grant) => grant.session === undefined || grant.session === session);
  }

  const modeOf = ({ name, consent }: Capability): ConsentMode =>
    modes[name] ?? modes[name.split(".")[0] ?? ""] ?? consent;

  async function decide(grant: Omit<ConsentGrant, "at">): Promise<void> {
    const isSame = (other: ConsentGrant): boolean =>
      other.capability === grant.capability && other.caller === grant.caller && other.session === grant.session;
    const added = { ...grant, at: new Date(clock()).toISOString() };
    await state.update((grants) => [...grants.filter((other) => !isSame(other)), added].slice(-maxGrants));
  }

  return {
    modeOf,
    setModes: (next) => void (modes = next),
    decide,
    list: read,
    async adviceOn(capability, caller) {
      const { name } = capability;
      const mode = modeOf(capability);
      if (mode === "off") return { by: "consent", verdict: "deny", reason: `${name} is switched off on this computer` };
      const scope = callerScopeKey(scopeOfCaller(caller));
      const grants = (await read()).filter(({ capability: about }) => about === name);
      const decided = judgeGrants(grants, scope);
      if (decided === "never")
        return { by: "consent", verdict: "deny", reason: `the user does not allow ${name} on this computer` };
      const key = JSON.stringify([name, scope]);
      if (mode === "always" || decided === "always" || approved.has(key)) return undefined;
      return {
        by: "consent",
        verdict: "ask",
        ownerOnly: true,
        reason: `${name} needs the user's consent`,
        grantCommand: `clawport node allow ${name}`,
        remember: (choice) => decide({ capability: name, caller: scope, choice }),
        ...(mode === "session" && { approved: () => void approved.add(key) }),
      };
    },
    async forget(capability) {
      let count = 0;
      await state.update((grants) => {
        const left = grants.filter((grant) => grant.capability !== capability);
        count = grants.length - left.length;
        return left;
      });
      return count;
    },
  };
}

/** A no counts before any yes; what is about this caller counts before what is about all. */
function judgeGrants(grants: readonly ConsentGrant[], caller: string): "always" | "never" | undefined {
  const own = grants.filter((grant) => grant.caller === caller);
  const decisive = own.length > 0 ? own : grants.filter((grant) => grant.caller === undefined);
  if (decisive.some(({ choice }) => choice === "never")) return "never";
  return decisive.length > 0 ? "always" : undefined;
}

function parseGrants(value: unknown): readonly ConsentGrant[] {
  if (Array.isArray(value) && value.every(isGrant)) return value;
  throw new Fault("corrupt", "This is not a list of consents.");
}

function isGrant(value: unknown): value is ConsentGrant {
  if (!isRecord(value)) return false;
  const { capability, choice, caller = "", session = "", at } = value;
  return (
    [capability, caller, session, at].every((text) => typeof text === "string") &&
    (choice === "always" || choice === "never")
  );
}
