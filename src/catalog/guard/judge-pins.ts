import type { Policy } from "../../core/config/policy-config.ts";
import { hashParts, instructionsParts, type PinKind, type PinnedParts } from "./pin-definition.ts";
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
  const kept = keptDefinition(definition, isListed ? room.waitingBytes : room.definitionBytes);
  const pin = { kind, id, hash: hashParts(parts), ...kept, at };
  return isListed ? { ...pin, name: definition.name(), isNew: true } : pin;
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
  let next = pin;
  if (pin.definition === undefined && definition.json.length <= room.definitionBytes) {
    const { text: _, ...rest } = pin;
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
  return { hash: hashParts(definition.parts), ...keptDefinition(definition, room.waitingBytes), at };
}

/**
 * What is open about a pin. `withdrawn`: the server listed another definition and then the pinned one again, which is
 * what a server would do that wants a call shaped by the other one.
 */
export type PinState = "settled" | "new" | "changed" | "withdrawn" | "refused";

export function stateOfPin(pin: Pin): PinState {
  const { isNew, offered, refused } = pin;
  if (refused === listedHash(pin)) return "refused";
  if (isOffered(pin)) return "changed";
  if (offered !== undefined && offered.hash !== refused) return "withdrawn";
  return isNew === true ? "new" : "settled";
}

/** Whether the server lists another definition than the pinned one. */
function isOffered({ offered }: Pin): boolean {
  return offered !== undefined && offered.isWithdrawn !== true;
}

/** The hash of what the server lists now. */
export function listedHash(pin: Pin): string {
  return isOffered(pin) ? pin.offered!.hash : pin.hash;
}

/** A person accepts what the server lists now. */
export function acceptPin(pin: Pin, at: string): Pin {
  const { kind, id, offered } = pin;
  if (isOffered(pin)) {
    const { hash, definition } = offered!;
    return { kind, id, hash, ...(definition !== undefined && { definition }), at };
  }
  const { name: _name, isNew: _isNew, offered: _offered, refused: _refused, ...settled } = pin;
  return settled;
}

/** A person rejects what the server lists now. */
export function refusePin(pin: Pin): Pin {
  return { ...pin, refused: listedHash(pin) };
}

/** What the policy says about definitions that no one has approved. */
export interface PinRules {
  readonly changed: "pinned" | "hide";
  readonly added: "allow" | "ask" | "hide";
}

export function pinRulesOf({ preset, changedTools, newTools }: Policy): PinRules {
  return { changed: changedTools ?? "pinned", added: newTools ?? (preset === "strict" ? "ask" : "allow") };
}

/** What clients get of a definition: as it is listed, as it is pinned, or nothing. */
export type Shown = "listed" | "pinned" | "hidden";

export function shownOf(pin: Pin, rules: PinRules): Shown {
  if (isOffered(pin)) return rules.changed === "hide" || pin.definition === undefined ? "hidden" : "pinned";
  const state = stateOfPin(pin);
  // What is rejected stays as hidden as it was before.
  const isHidden =
    ((state === "withdrawn" || (state === "refused" && pin.offered !== undefined)) && rules.changed === "hide") ||
    ((state === "new" || (state === "refused" && pin.isNew === true)) && rules.added === "hide");
  return isHidden ? "hidden" : "listed";
}

/** Whether a person has to answer before it can be used. */
export function isHeldBack(pin: Pin, rules: PinRules): boolean {
  const state = stateOfPin(pin);
  return state === "new" ? rules.added !== "allow" : state !== "settled";
}
