import { Fault } from "../../core/fault.ts";
import { isRecord } from "../../core/is-record.ts";
import { quoted } from "../../core/peer-text.ts";
import { allVerbs, type VerbControl, type VerbNeed } from "./control-verbs.ts";
import type { Fields } from "./verb-parameters.ts";

/** By what a caller asks: a key of the hub, or a session of the console that may look only or was opened at a terminal. */
export type VerbRights = "relay" | "control" | "look" | "person";

/** The hub's end of the control API: `POST /control/<area>.<verb>` with a JSON object. Answers one verb. */
export type ControlApi = (name: string, body: unknown, rights: VerbRights) => Promise<unknown>;

export function createControlApi(control: VerbControl): ControlApi {
  const calls = new Map(
    allVerbs().map(({ area, name, needs, parameters }) => {
      const methods = control[area] as unknown as Readonly<Record<string, AnyMethod>>;
      const call = (body: Fields) => methods[name]?.(...parameters.map((each) => each.read(body)));
      return [`${area}.${name}`, { needs, call }];
    }),
  );
  return async (name, body, rights) => {
    const found = calls.get(name);
    if (found === undefined) throw new Fault("not-found", `There is no control verb ${quoted(name, 80)}.`);
    if (!verbsOf[rights].includes(found.needs)) throw new Fault("denied", refusals[rights]);
    if (!isRecord(body)) throw new Fault("bad-params", "The request body must be a JSON object.");
    return found.call(body);
  };
}

/** Which verbs each caller may use. Tokens of clients, the main one included, open none. */
const verbsOf: Readonly<Record<VerbRights, readonly VerbNeed[]>> = {
  relay: ["relay"],
  control: ["relay", "look", "change"],
  look: ["look"],
  person: ["look", "change", "person"],
};

export const onlyLooks =
  "This session may look, but not change anything: its link was not made at a terminal. Run `clawport console` in a terminal.";
const needsPerson = "A key is not enough for this. Use the console (`clawport console`), or a command in a terminal.";
const onlyForwards = "A relay hands on calls of its client, and controls nothing.";
const refusals: Readonly<Record<VerbRights, string>> = {
  relay: onlyForwards,
  control: needsPerson,
  look: onlyLooks,
  person: "This is for relays only.",
};

/** Sends one verb to a hub and returns its result. */
export type AskHub = (name: string, body: object, withinMs: number) => Promise<unknown>;

/** The client's end: each method is a request to the hub. */
export function createVerbClient(ask: AskHub): VerbControl {
  const areas: Record<string, Record<string, AnyMethod>> = {};
  for (const { area, name, withinMs, parameters } of allVerbs()) {
    (areas[area] ??= {})[name] = (...values) =>
      ask(`${area}.${name}`, Object.assign({}, ...parameters.map((each, at) => each.write(values[at]))), withinMs);
  }
  return areas as unknown as VerbControl;
}

type AnyMethod = (...values: readonly unknown[]) => Promise<unknown>;
