import { isDeepStrictEqual } from "node:util";
import type { AuditLine } from "../../../catalog/audit/audit-line.ts";
import { parseAuditLine } from "../../../catalog/audit/audit-line.ts";
import { readAuditBackwards } from "../../../catalog/audit/read-audit-backwards.ts";
import { callerName, type Caller, type DoorKind } from "../../../catalog/caller.ts";
import type { Catalog } from "../../../catalog/catalog.ts";
import { judgeCall } from "../../../catalog/guard/judge-call.ts";
import type { ListedSource } from "../../../catalog/source.ts";
import { pathKey } from "../../../core/config/config-path.ts";
import { removeJson5, setJson5 } from "../../../core/config/json5/edit-json5.ts";
import { readJson5 } from "../../../core/config/json5/read-json5.ts";
import type { Policy, PolicyRule } from "../../../core/config/policy-config.ts";
import { Fault } from "../../../core/fault.ts";
import { asRecord } from "../../../core/is-record.ts";
import { readConfigAt } from "../../state/active-config.ts";
import { hubFiles } from "../../state/hub-files.ts";
import type { FileContext, HubContext } from "../contexts.ts";
import { type EditedConfigFile, openConfigFile, ownerPlace } from "./config-file.ts";
import { loadConfig } from "../../../core/config/load-config.ts";

export interface RuleList {
  /** The file they are in. */
  readonly path: string;
  readonly preset: "open" | "default" | "strict";
  /** As they are written, with the names of variables: saved with their values, they would lose the variables. */
  readonly rules: readonly PolicyRule[];
  /** Rules that came with a folder; they judge as well, and are not edited here. */
  readonly folderRules?: readonly PolicyRule[] | undefined;
  /** Of the file, for `save`. */
  readonly hash: string;
}

/** One of the last calls that the rules would have judged otherwise. */
export interface RuleEffect {
  readonly id: string;
  readonly time: string;
  readonly tool: string;
  readonly source: string;
  readonly caller: string;
  readonly was: string;
  readonly would: "allow" | "ask" | "deny";
  /** What would have decided: `policy.rules[0]`, or the preset. */
  readonly by: string;
}

export interface RuleTrial {
  /** How many calls were judged. */
  readonly calls: number;
  readonly allow: number;
  readonly ask: number;
  readonly deny: number;
  /** How many of them each rule would have decided, in the order of the rules. */
  readonly perRule: readonly number[];
  readonly changed: number;
  /** The latest of the changed ones. */
  readonly examples: readonly RuleEffect[];
}

const maxCalls = 1000;
/** Trying more would keep the hub from answering anyone else. */
const maxRules = 1000;
const maxExamples = 100;

/** The owner's file: rules of a folder's file would not count, or only make things stricter. */
function ownFile(file: FileContext): EditedConfigFile {
  return openConfigFile({ ...file, place: ownerPlace(file.place, file.home) });
}

async function activePolicy({ place, home, env }: FileContext): Promise<Policy> {
  return (await readConfigAt(place, home, env)).config.policy ?? {};
}

export async function listRules(file: FileContext): Promise<RuleList> {
  const { preset = "default", folder } = await activePolicy(file);
  const own = ownFile(file);
  const { text, hash } = await own.read();
  const rules = (rulesIn(text) ?? []) as readonly PolicyRule[];
  return { path: own.path, preset, rules, hash, ...(folder?.rules && { folderRules: folder.rules }) };
}

interface SavedRules {
  readonly rules: readonly unknown[];
  readonly baseHash?: string | undefined;
}

export async function saveRules(file: FileContext, { rules, baseHash }: SavedRules): Promise<RuleList> {
  await ownFile(file).change((text) => writeRules(text, rules), { baseHash });
  return listRules(file);
}

export async function tryRules(hub: HubContext, given: readonly unknown[]): Promise<RuleTrial> {
  const rules = await checkRules(given, hub.env);
  const policy = { ...(await activePolicy(hub)), rules };
  return judgeAgain(policy, await readCalls(hubFiles.audit(hub.home)), hub.engine.catalog);
}

/** Rules that stay where they are keep their text, so that comments beside them stay, too. */
function writeRules(text: string, rules: readonly unknown[]): string {
  const before = rulesIn(text);
  if (before === undefined) return setJson5(text, ["policy", "rules"], rules);
  if (before.length > 0 && isDeepStrictEqual(rules.slice(1), before)) return prependRule(text, rules[0]);
  const removed = before.findIndex((_, index) => isDeepStrictEqual(before.toSpliced(index, 1), rules));
  if (removed >= 0) return removeJson5(text, ["policy", "rules", removed]);
  if (before.length !== rules.length) return setJson5(text, ["policy", "rules"], rules);
  return rules.reduce<string>(
    (all, rule, index) =>
      isDeepStrictEqual(rule, before[index]) ? all : setJson5(all, ["policy", "rules", index], rule),
    text,
  );
}

/** Before the first one and the comments above it. */
function prependRule(text: string, rule: unknown): string {
  const { places } = readJson5(text);
  const from = (places.get(pathKey(["policy", "rules"]))?.value ?? 0) + 1;
  const first = places.get(pathKey(["policy", "rules", 0]))?.value ?? from;
  const [gap = ""] = /^[\s]*/.exec(text.slice(from, first)) ?? [];
  const indent = gap.includes("\n") ? gap : "";
  return `${text.slice(0, from)}${indent}${JSON.stringify(rule)},${indent === "" ? " " : ""}${text.slice(from)}`;
}

function rulesIn(text: string): readonly unknown[] | undefined {
  const value = text.trim() === "" ? {} : readJson5(text).value;
  const { rules } = asRecord(asRecord(value)["policy"]);
  return Array.isArray(rules) ? rules : undefined;
}

/** Faults with every problem, as for a configuration that has them. */
async function checkRules(rules: readonly unknown[], env: HubContext["env"]): Promise<PolicyRule[]> {
  if (rules.length > maxRules) throw new Fault("too-large", `At most ${maxRules} rules can be tried at once.`);
  const text = JSON.stringify({ policy: { rules } });
  const { config } = await loadConfig({ path: "rules", env, text });
  return config.policy?.rules ?? [];
}

type KnownTools = Pick<Catalog, "find" | "sources">;

interface PlacedCall {
  readonly id: string;
  readonly line: AuditLine;
}

async function readCalls(file: string): Promise<readonly PlacedCall[]> {
  const calls: PlacedCall[] = [];
  for await (const batch of readAuditBackwards(file)) {
    for (const { text, end } of batch) {
      const line = parseAuditLine(text);
      if (line !== undefined) calls.push({ id: end, line });
      if (calls.length === maxCalls) return calls;
    }
  }
  return calls;
}

/** Judges what the audit remembers of each call. What it does not keep, such as arguments, no rule asks for. */
function judgeAgain(policy: Policy, calls: readonly PlacedCall[], catalog: KnownTools): RuleTrial {
  const kinds = new Map(catalog.sources().map((source) => [source.id, source]));
  const counts = { allow: 0, ask: 0, deny: 0 };
  const perRule = (policy.rules ?? []).map(() => 0);
  const examples: RuleEffect[] = [];
  let changed = 0;
  for (const { id, line } of calls) {
    const { verdict, policy: advice } = judgeCall({
      policy,
      caller: callerOf(line),
      source: sourceOf(line, kinds),
      ...(line.tool.includes("/") ? {} : { tool: toolOf(line, catalog) }),
      reach: { person: true, client: false },
    });
    counts[verdict]++;
    const [, index] = /^policy\.rules\[(\d+)\]/.exec(advice.by) ?? [];
    if (index !== undefined) perRule[Number(index)] = (perRule[Number(index)] ?? 0) + 1;
    if (verdict === line.verdict) continue;
    changed++;
    const { time, tool, source } = line;
    const effect = {
      id,
      time,
      tool,
      source,
      caller: callerName(line),
      was: line.verdict,
      would: verdict,
      by: advice.by,
    };
    if (examples.length < maxExamples) examples.push(effect);
  }
  return { calls: calls.length, ...counts, perRule, changed, examples };
}

function callerOf({ door, token, client, sender, agent, server }: AuditLine): Caller {
  return {
    door: door as DoorKind,
    ...(token !== undefined && { token }),
    ...(client !== undefined && { client }),
    ...(sender !== undefined && { sender }),
    ...(agent !== undefined && { agent }),
    ...(server !== undefined && { server }),
  };
}

function sourceOf({ source: id }: AuditLine, known: ReadonlyMap<string, ListedSource>) {
  const found = known.get(id);
  const kind: ListedSource["kind"] = found?.kind ?? (id.startsWith("app:") ? "app" : "server");
  return { id, kind, trusted: found?.trusted === true };
}

/** Its hints are those that it has now; of a tool that is gone, none are known. */
function toolOf({ tool: name }: AuditLine, catalog: KnownTools) {
  const found = catalog.find(name);
  const { shortName, aliases, sharesPrefix, tool } = found ?? {};
  return { name, shortName, aliases, sharesPrefix, annotations: tool?.annotations };
}
