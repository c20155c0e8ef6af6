import { checkValue } from "../../core/config/check-value.ts";
import { Fault } from "../../core/fault.ts";
import { isRecord } from "../../core/is-record.ts";
import { quoted } from "../../core/text/peer-text.ts";
import type { HubContext } from "./contexts.ts";
import { inputSchema } from "./input.ts";
import { type AnyVerb, runOn, type VerbNeed, type VerbTable } from "./verb.ts";
import { verbs } from "./verbs.ts";

/** By what a caller asks: a key of the hub, or a session of the console that may look only or was opened at a terminal. */
export type VerbRights = "relay" | "control" | "look" | "person";

/** The hub's end of the control API: `POST /control/<area>.<verb>` with a JSON object. Answers one verb. */
export type ControlApi = (name: string, body: unknown, rights: VerbRights, signal?: AbortSignal) => Promise<unknown>;

/** Judged first, checked second, run third. */
export function createControlApi(hub: HubContext, table: VerbTable = verbs): ControlApi {
  return async (name, body, rights, signal) => {
    const row = findVerb(table, name);
    if (row === undefined) throw new Fault("not-found", `There is no control verb ${quoted(name, 80)}.`);
    if (!verbsOf[rights].includes(row.needs)) throw new Fault("denied", refusals[rights]);
    if (!isRecord(body)) throw new Fault("bad-params", "The request body must be a JSON object.");
    return runOn(hub, row)(readInput(row, body), signal);
  };
}

function findVerb(table: VerbTable, name: string): AnyVerb | undefined {
  const [area = "", verb = "", ...more] = name.split(".");
  if (more.length > 0 || !Object.hasOwn(table, area)) return undefined;
  const rows = table[area] ?? {};
  return Object.hasOwn(rows, verb) ? rows[verb] : undefined;
}

/** Only what the row names: a caller can't say what only this process knows. */
function readInput({ input }: AnyVerb, body: Readonly<Record<string, unknown>>): object {
  const given = Object.fromEntries(
    Object.keys(input).flatMap((key) => (Object.hasOwn(body, key) ? [[key, body[key]]] : [])),
  );
  const { findings } = checkValue(inputSchema(input), given, new Set());
  if (findings.length === 0) return given;
  const problems = findings.map(({ path: [key, ...inside], message }) => `"${[key, ...inside].join(".")}" ${message}`);
  throw new Fault("bad-params", `${problems.join("; ")}.`);
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
