import type { WaitingCall } from "../../../../src/catalog/guard/approvals-file.ts";
import type { HeldDefinition } from "../../../../src/catalog/guard/held-definition.ts";
import type { ApprovalsList } from "../../../../src/hub/control/approvals.ts";
import { isStillWaiting, refusedOf } from "../../hub/still-waiting.ts";

/** Something that can be answered. `key` is its address below `/approvals`. */
export type Thing =
  | { readonly kind: "call"; readonly key: string; readonly call: WaitingCall }
  | { readonly kind: "definition"; readonly key: string; readonly held: HeldDefinition };

/** What one caller wants of one tool, what one server changed, or what no one answered. */
export interface Group {
  readonly id: string;
  readonly kind: "waiting" | "changed" | "refused";
  readonly title: string;
  readonly things: readonly Thing[];
  /** When the first of them ends, in milliseconds since the epoch. */
  readonly ends: number | undefined;
}

/** `Claude Code (token laptop)`: the name is the client's own, the token was checked. */
export function callerWords({ client, caller }: Pick<WaitingCall, "client" | "caller">): string {
  const checked = [caller.token && `token ${caller.token}`, caller.sender, caller.agent && `agent ${caller.agent}`];
  const proof = checked.filter(Boolean).join(", ") || caller.door;
  return client === undefined ? proof : `${client} (${proof})`;
}

/** Groups whose calls end first come first; then definitions, then what is over. `words` leaves only what has them. */
export function groupsOf(list: Pick<ApprovalsList, "waiting" | "refused" | "changed">, words = ""): readonly Group[] {
  const wanted = words.toLowerCase().split(/\s+/);
  const isWanted = (thing: Thing): boolean => {
    const text = searchText(thing).toLowerCase();
    return wanted.every((word) => text.includes(word));
  };
  const callsOf = (calls: readonly WaitingCall[]): readonly Thing[] =>
    calls.map((call): Thing => ({ kind: "call", key: call.id, call })).filter(isWanted);
  const changed = list.changed.map((held): Thing => ({ kind: "definition", key: `changed/${held.name}`, held }));
  const groups = [
    ...gather("waiting", callsOf(list.waiting.filter(isStillWaiting)), actOf),
    ...gather("changed", changed.filter(isWanted), sourceOf),
  ];
  return [
    ...groups.toSorted((a, b) => (a.ends ?? Infinity) - (b.ends ?? Infinity)),
    ...gather("refused", callsOf(refusedOf(list)), () => "Refused, because no one answered"),
  ];
}

function gather(kind: Group["kind"], things: readonly Thing[], titleOf: (thing: Thing) => string): readonly Group[] {
  return [...Map.groupBy(things, titleOf)].map(([title, of]) => {
    const ends = of.flatMap((thing) => (thing.kind === "call" ? Date.parse(thing.call.openUntil ?? "") || [] : []));
    return { id: `${kind} ${title}`, kind, title, things: of, ends: ends.length > 0 ? Math.min(...ends) : undefined };
  });
}

/** Who, and which kind of act. */
const actOf = (thing: Thing): string =>
  thing.kind === "call" ? `${callerWords(thing.call)} · ${thing.call.name}` : thing.held.name;

const sourceOf = (thing: Thing): string =>
  thing.kind === "definition" ? `Changed by ${thing.held.source}` : thing.call.source;

function searchText(thing: Thing): string {
  if (thing.kind === "definition") return `${thing.held.name} ${thing.held.source}`;
  return `${thing.call.name} ${callerWords(thing.call)} ${thing.call.arguments}`;
}

/** Arguments by which a person knows a call, the most telling first. */
const telling = ["path", "file_path", "file", "filename", "uri", "url", "command", "query", "to", "subject", "title"];
const maxKeyLength = 120;

/** The argument that tells calls of one tool apart. The list has arguments masked and shortened, as JSON. */
export function keyArgument({ arguments: shown }: Pick<WaitingCall, "arguments">): string {
  const text = keyText(shown);
  return text.length > maxKeyLength ? `${text.slice(0, maxKeyLength)}…` : text;
}

function keyText(shown: string): string {
  let args: unknown;
  try {
    args = JSON.parse(shown);
  } catch {
    return shown.replace(/^\{/, "");
  }
  if (typeof args !== "object" || args === null) return String(args);
  const entries = Object.entries(args);
  const [, value] =
    telling.map((name) => entries.find(([key]) => key.toLowerCase() === name)).find((entry) => entry !== undefined) ??
    entries.find(([, each]) => typeof each === "string" && each !== "") ??
    entries[0] ??
    [];
  if (value === undefined) return "no arguments";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** `1:12`. */
export function timeLeft(until: number, now: number): string {
  const seconds = Math.max(0, Math.ceil((until - now) / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** What has the place of `gone` after it was answered: the next one, or the one before if it was the last. */
export function neighbourOf(keys: readonly string[], gone: ReadonlySet<string>, current: string): string | undefined {
  const at = keys.indexOf(current);
  const isLeft = (key: string): boolean => !gone.has(key);
  return keys.slice(at + 1).find(isLeft) ?? keys.slice(0, Math.max(0, at)).findLast(isLeft);
}
