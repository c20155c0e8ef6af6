import { parseJson } from "../../core/json.ts";
import { markedDiff } from "../../core/text/marked-diff.ts";
import { quoted } from "../../core/text/peer-text.ts";
import { shownText } from "../../core/text/shown-text.ts";
import type { Advice } from "../advice.ts";
import type { Finding } from "../screen/finding.ts";
import { listedHash, type PinState, type Shown, stateOfPin } from "./judge-pins.ts";
import { type PinKind, type PinnedParts, textOfParts } from "./pin-definition.ts";
import type { Pin } from "./pin-file.ts";

/** A definition that clients do not get as the server lists it, or can't use without an answer. */
export interface HeldDefinition {
  /** The name to approve it by: of the tool or prompt in the catalog, or `<server>:instructions`. */
  readonly name: string;
  /** The server that listed it. */
  readonly source: string;
  readonly kind: PinKind;
  readonly state: Exclude<PinState, "settled">;
  /** What clients get: the definition as it is listed, as it is pinned, or nothing. */
  readonly shown: Shown;
  readonly since: string;
  /** The hash of the definition that waits for an answer. */
  readonly hash: string;
  /** The whole definition that waits for an answer, and what is gone, safe to show on a terminal; see `markedDiff`. */
  readonly diff: string;
  /** What screening found in it. */
  readonly findings: readonly Finding[];
  /** Whether `diff` has all of it. If not, it can't be accepted. */
  readonly isWhole: boolean;
}

/** Undefined if nothing about the pin is open. */
export function heldDefinition(server: string, pin: Pin, shown: Shown): HeldDefinition | undefined {
  const state = stateOfPin(pin);
  if (state === "settled") return undefined;
  const { kind, id, name = kind === "instructions" ? `${server}:instructions` : id, offered, at } = pin;
  const since = offered?.at ?? at;
  return {
    name,
    source: server,
    kind,
    state,
    shown,
    since,
    hash: listedHash(pin),
    findings: findingsOf(pin),
    isWhole: waitingDefinition(pin) !== undefined,
    // Made when it is needed: the console looks at the list every second.
    get diff() {
      return diffOf(pin);
    },
  };
}

/** What the guard says about a tool or prompt that is held back. */
export function adviceOnPin(pin: Pin, name: string): Omit<Advice, "remember"> {
  const state = stateOfPin(pin);
  const its = pin.kind === "prompt" ? `the prompt ${quoted(name)}: its` : "its";
  const [finding] = findingsOf(pin);
  const why = finding === undefined ? "" : `, and screening found that ${finding.why} (${finding.rule})`;
  const reason = `${reasonOf(state, its)}${state === "flagged" ? "" : why}${state === "flagged" && finding !== undefined ? `: ${finding.why} (${finding.rule})` : ""}`;
  if (waitingDefinition(pin) === undefined)
    return { by: "pin", verdict: "deny", reason: `${reason}, and it can't be shown in full` };
  return { by: "pin", verdict: state === "refused" ? "deny" : "ask", reason, detail: diffOf(pin) };
}

function reasonOf(state: PinState, its: string): string {
  switch (state) {
    case "new":
      return `${its} server added it after its first list`;
    case "withdrawn":
      return `${its} definition was changed and then changed back`;
    case "flagged":
      return `screening found something in ${its} definition`;
    case "refused":
      return `${its} definition was rejected`;
    default:
      return `${its} definition has changed since it was first listed`;
  }
}

/** Of what waits for an answer. */
function findingsOf({ findings = [], offered }: Pin): readonly Finding[] {
  return offered === undefined || offered.isWithdrawn === true ? findings : (offered.findings ?? []);
}

/** What a person has to see before answering; undefined if it is not known in full. */
function waitingDefinition({ definition, offered }: Pin): string | undefined {
  return offered?.definition ?? (offered === undefined || offered.isWithdrawn === true ? definition : undefined);
}

function diffOf(pin: Pin): string {
  const { definition, text = "" } = pin;
  const isNew = pin.isNew === true || stateOfPin(pin) === "flagged";
  const waiting = waitingDefinition(pin);
  if (waiting === undefined) return "Its new definition is not known in full.";
  const pinned = definition === undefined ? text : textOf(definition);
  const found = findingsOf(pin).map(({ rule, where, quote, why }) =>
    shownText(`${rule} in ${where}: "${quote}": ${why}`),
  );
  const marked = markedDiff(isNew ? "" : pinned, textOf(waiting));
  return [...found, marked].join("\n");
}

const textOf = (definition: string): string => textOfParts(parseJson(definition) as PinnedParts);
