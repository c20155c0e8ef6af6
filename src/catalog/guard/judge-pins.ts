import type { Policy } from "../../core/config/policy-config.ts";
import { hashParts, instructionsParts, type PinKind, type PinnedParts } from "./pin-definition.ts";
import { type Finding, isAtLeast } from "../screen/finding.ts";
import type { OfferedDefinition, Pin } from "./pin-file.ts";

/** A definition as a server lists it now. */
export interface ListedDefinition {
  readonly kind: PinKind;
  /** The server's own name for it; empty for instructions. */
  readonly id: string;
  /** The name to approve it by. Made when it is needed. */
  name(): string;
  readonly parts: PinnedParts;
  /** The parts as JSON. */
  readonly json: string;
  /** What screening finds in it. Read when it is needed: most definitions were read before. */
  findings?(): readonly Finding[];
  /** Before hidden characters were removed, if there were any. Older pins have the hash of that. */
  readonly rawParts?: PinnedParts;
}

export type PinMap = ReadonlyMap<string, Pin>;

export const pinKey = ({ kind, id }: Pick<Pin, "kind" | "id">): string => `${kind} ${id}`;

/** At most so much is pinned of one server. What does not fit is not shown: it could change unseen. */
export interface PinRoom {
  readonly pins: number;
  /** Of the names and definitions of all pins. */
  readonly bytes: number;
  /** Of one definition. Of a larger one only the hash is kept. */
  readonly definitionBytes: number;
  /** The same for one that waits for an answer: a person must see all of it. */
  readonly waitingBytes: number;
}

const defaultRoom: PinRoom = {
  pins: 50_000,
  bytes: 32 * 1024 * 1024,
  definitionBytes: 64 * 1024,
  waitingBytes: 1024 * 1024,
};

export interface JudgedPins {
  /** The pins that are new or different. */
  readonly changed: ReadonlyMap<string, Pin>;
  /** The keys of definitions for which there is no room. */
  readonly leftOut: ReadonlySet<string>;
}

/** Compares what a server lists with what is pinned. `isListed`: the first whole list of the server was pinned before. */
export function judgeDefinitions(
  pins: PinMap,
  listed: readonly ListedDefinition[],
  { isListed, at, room = defaultRoom }: { readonly isListed: boolean; readonly at: string; readonly room?: PinRoom },
): JudgedPins {
  const changed = new Map<string, Pin>();
  const leftOut = new Set<string>();
  let count = pins.size;
  let bytes: number | undefined;

  /** The first of the forms that there is room for. */
  function fit(known: Pin | undefined, forms: readonly Pin[]): Pin | undefined {
    bytes ??= pins.values().reduce((sum, pin) => sum + sizeOf(pin), 0);
    const others = bytes - (known === undefined ? 0 : sizeOf(known));
    const fitting = forms.find((pin) => others + sizeOf(pin) <= room.bytes);
    if (fitting !== undefined) bytes = others + sizeOf(fitting);
    return fitting;
  }

  for (const definition of listed) {
    const key = pinKey(definition);
    const known = pins.get(key);
    if (known === undefined) {
      const first = firstPin(definition, { isListed, at, room });
      const { definition: _, ...withoutDefinition } = first;
      const pin = count < room.pins ? fit(undefined, [first, withoutDefinition]) : undefined;
      if (pin === undefined) leftOut.add(key);
      else {
        count++;
        changed.set(key, pin);
      }
      continue;
    }
    const next = isSame(known, definition)
      ? withListed(known, definition, room)
      : withOffered(known, definition, { at, room });
    if (next !== known) changed.set(key, fit(known, [next, withoutOffer(next)]) ?? withoutOffer(next));
  }
  return { changed, leftOut };
}

/** What is open is kept even if there is no room to show it. */
function withoutOffer(pin: Pin): Pin {
  if (pin.offered === undefined) return pin;
  const { definition: _, ...offered } = pin.offered;
  return { ...pin, offered };
}

const pinOverhead = 256;

function sizeOf({ id, definition = "", text = "", offered }: Pin): number {
  return pinOverhead + 2 * id.length + definition.length + text.length + (offered?.definition?.length ?? 0);
}

interface FirstPinOptions {
  readonly isListed: boolean;
  readonly at: string;
  readonly room: PinRoom;
}

function firstPin(definition: ListedDefinition, { isListed, at, room }: FirstPinOptions): Pin {
  const { kind, id, parts } = definition;
  // A server that had no instructions and now has some changes them: there is no name that could be new.
  if (kind === "instructions" && isListed) {
    const none = instructionsParts("");
    const pin = { kind, id, hash: hashParts(none), definition: JSON.stringify(none), at };
    return { ...pin, name: definition.name(), offered: offer(definition, { at, room }) };
  }
  const screened = screenedParts(definition);
  const waits = isListed || screened.findings !== undefined;
  const kept = keptDefinition(definition, waits ? room.waitingBytes : room.definitionBytes);
  const pin = { kind, id, hash: hashParts(parts), ...kept, at, ...screened };
  return isListed ? { ...pin, name: definition.name(), isNew: true } : pin;
}

/** Raised when rules change what they find, so that what was pinned before is read again. */
export const rulesVersion = 2;

function screenedParts(definition: ListedDefinition): Pick<Pin, "screened" | "findings" | "name"> {
  if (definition.findings === undefined) return {};
  const findings = definition.findings().filter(({ severity }) => isAtLeast(severity, "ask"));
  if (findings.length === 0) return { screened: rulesVersion };
  return { screened: rulesVersion, findings: findings.slice(0, maxFindings), name: definition.name() };
}

const maxFindings = 10;

/** What is pinned was read by these rules, or is read now. */
function withScreening(pin: Pin, definition: ListedDefinition): Pin {
  if (pin.screened === rulesVersion || definition.findings === undefined) return pin;
  const { findings: _, ...unread } = pin;
  const { findings, name, screened } = screenedParts(definition);
  if (findings === undefined || pin.isCleared === true)
    return { ...unread, ...(screened !== undefined && { screened }) };
  return { ...unread, screened: rulesVersion, findings, name: name! };
}

function keptDefinition({ json }: ListedDefinition, maxBytes: number): Pick<Pin, "definition"> {
  return json.length > maxBytes ? {} : { definition: json };
}

function isSame(pin: Pin, { json, parts, rawParts }: ListedDefinition): boolean {
  if (pin.definition === json || pin.hash === hashParts(parts)) return true;
  return pin.definition === undefined && rawParts !== undefined && pin.hash === hashParts(rawParts);
}

/** The server lists what is pinned: its definition can be kept from now on, and an offer of another one is withdrawn. */
function withListed(pin: Pin, definition: ListedDefinition, room: PinRoom): Pin {
  let next = withScreening(pin, definition);
  if (pin.definition === undefined && definition.json.length <= room.definitionBytes) {
    const { text: _, ...rest } = next;
    next = { ...rest, hash: hashParts(definition.parts), definition: definition.json };
  }
  if (pin.offered === undefined || pin.offered.isWithdrawn === true) return next;
  return { ...next, offered: { ...pin.offered, isWithdrawn: true } };
}

interface OfferOptions {
  readonly at: string;
  readonly room: PinRoom;
}

function withOffered(pin: Pin, definition: ListedDefinition, { at, room }: OfferOptions): Pin {
  const { offered } = pin;
  const isKnown = offered?.isWithdrawn !== true && offered?.hash === hashParts(definition.parts);
  const next = offer(definition, { at: isKnown ? offered.at : at, room });
  // Older versions kept a shortened text of it only.
  if (isKnown && (offered.definition !== undefined || next.definition === undefined)) return pin;
  return { ...pin, name: definition.name(), offered: next };
}

function offer(definition: ListedDefinition, { at, room }: OfferOptions): OfferedDefinition {
  const { findings } = screenedParts(definition);
  const kept = keptDefinition(definition, room.waitingBytes);
  return { hash: hashParts(definition.parts), ...kept, at, ...(findings !== undefined && { findings }) };
}

/**
 * What is open about a pin. `withdrawn`: the server listed another definition and then the pinned one again, which is
 * what a server would do that wants a call shaped by the other one.
 */
type OpenState =
  | { readonly is: "settled" | "new" | "flagged" }
  | { readonly is: "changed" | "withdrawn"; readonly offered: OfferedDefinition };

export type PinState = OpenState["is"] | "refused";

/** A definition that a person rejected is as open as before, and `refused`. */
export function stateOfPin(pin: Pin): PinState {
  if (pin.refused === listedHash(pin)) return "refused";
  const open = openStateOf(pin);
  // What was rejected and then withdrawn is settled.
  if (open.is !== "withdrawn" || open.offered.hash !== pin.refused) return open.is;
  const { offered: _, ...rest } = pin;
  return openStateOf(rest).is;
}

function openStateOf({ isNew, offered, findings }: Pin): OpenState {
  if (offered !== undefined) return { is: offered.isWithdrawn === true ? "withdrawn" : "changed", offered };
  if (findings !== undefined && findings.length > 0) return { is: "flagged" };
  return { is: isNew === true ? "new" : "settled" };
}

/** The hash of what the server lists now. */
export function listedHash(pin: Pin): string {
  const open = openStateOf(pin);
  return open.is === "changed" ? open.offered.hash : pin.hash;
}

const looked = { screened: rulesVersion, isCleared: true } as const;

/** A person accepts what the server lists now. */
export function acceptPin(pin: Pin, at: string): Pin {
  const { kind, id } = pin;
  const open = openStateOf(pin);
  if (open.is === "changed") {
    const { hash, definition } = open.offered;
    return { kind, id, hash, ...(definition !== undefined && { definition }), at, ...looked };
  }
  const { name: _name, isNew: _isNew, offered: _offered, refused: _refused, findings: _findings, ...settled } = pin;
  return { ...settled, ...looked };
}

/** A person rejects what the server lists now. */
export function refusePin(pin: Pin): Pin {
  return { ...pin, refused: listedHash(pin) };
}

/** What the policy says about definitions that no one has approved. */
export interface PinRules {
  readonly changed: "pinned" | "hide";
  readonly added: "allow" | "ask" | "hide";
  /** How severe the findings of a definition are, after what the owner's rules say about them; undefined if they may pass. */
  flag?(pin: Pin): "hold" | "ask" | undefined;
}

export function pinRulesOf({ preset, changedTools, newTools }: Policy): PinRules {
  return { changed: changedTools ?? "pinned", added: newTools ?? (preset === "strict" ? "ask" : "allow") };
}

/** What clients get of a definition: as it is listed, as it is pinned, without its words, or nothing. */
export type Shown = "listed" | "pinned" | "withheld" | "hidden";

interface StateRow {
  readonly shown: Shown;
  isHidden(rules: PinRules, pin: Pin): boolean;
  /** Whether a person has to answer before it can be used. */
  isHeldBack(rules: PinRules, pin: Pin): boolean;
}

/** What each state means under the rules of the policy. */
const table: Readonly<Record<OpenState["is"], StateRow>> = {
  settled: { shown: "listed", isHidden: () => false, isHeldBack: () => false },
  new: {
    shown: "listed",
    isHidden: ({ added }) => added === "hide",
    isHeldBack: ({ added }) => added !== "allow",
  },
  flagged: {
    shown: "withheld",
    isHidden: (rules, pin) => severityOf(pin, rules) === "hold" || (pin.isNew === true && rules.added === "hide"),
    isHeldBack: () => true,
  },
  changed: { shown: "pinned", isHidden: ({ changed }) => changed === "hide", isHeldBack: () => true },
  withdrawn: { shown: "listed", isHidden: ({ changed }) => changed === "hide", isHeldBack: () => true },
};

export function shownOf(pin: Pin, rules: PinRules): Shown {
  const state = stateOfPin(pin);
  // What is rejected stays as hidden as it was before.
  const open = allowedState(pin, state === "refused" ? openStateOf(pin).is : state, rules);
  const { shown, isHidden } = table[open];
  const canBeShown = shown !== "pinned" || pin.definition !== undefined;
  // What no one has approved as new is not shown because it has changed since.
  const isNewHidden = open !== "settled" && pin.isNew === true && table.new.isHidden(rules, pin);
  return canBeShown && !isHidden(rules, pin) && !isNewHidden ? shown : "hidden";
}

export function isHeldBack(pin: Pin, rules: PinRules): boolean {
  const state = stateOfPin(pin);
  return state === "refused" || table[allowedState(pin, state, rules)].isHeldBack(rules, pin);
}

/** Findings that the owner's rules let pass are none. */
function allowedState(pin: Pin, state: OpenState["is"], rules: PinRules): OpenState["is"] {
  if (state !== "flagged" || severityOf(pin, rules) !== undefined) return state;
  return pin.isNew === true ? "new" : "settled";
}

function severityOf(pin: Pin, rules: PinRules): "hold" | "ask" | undefined {
  if (rules.flag !== undefined) return rules.flag(pin);
  return pin.findings?.some(({ severity }) => severity === "hold") ? "hold" : "ask";
}
