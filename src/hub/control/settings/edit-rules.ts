import { isDeepStrictEqual } from "node:util";
import type { AuditLine } from "../../../catalog/audit/audit-line.ts";
import { parseAuditLine } from "../../../catalog/audit/audit-line.ts";
import { readAuditBackwards } from "../../../catalog/audit/read-audit-backwards.ts";
import type { Caller, DoorKind } from "../../../catalog/caller.ts";
import type { Catalog } from "../../../catalog/catalog.ts";
import { judgeCall } from "../../../catalog/guard/judge-call.ts";
import type { Source } from "../../../catalog/source.ts";
import { setJson5 } from "../../../core/config/edit-json5.ts";
import { readJson5 } from "../../../core/config/read-json5.ts";
import type { Policy, PolicyRule } from "../../../core/config/policy-config.ts";
import { Fault } from "../../../core/fault.ts";
import { asRecord } from "../../../core/is-record.ts";
import { callerText } from "../insight/search-audit.ts";
import type { EditedConfigFile } from "./config-file.ts";
import type { RuleEffect, RulesControl, RuleTrial } from "./settings-control.ts";

export interface RulesOptions {
  /** The owner's configuration. */
  readonly file: EditedConfigFile;
  /** The audit. */
  readonly audit: string;
  readonly catalog: Pick<Catalog, "find" | "sources">;
  /** What is active now. */
  policy(): Promise<Policy>;
}

const mostCalls = 1000;
/** Trying more would keep the hub from answering anyone else. */
const mostRules = 1000;
const mostExamples = 100;

export function createRulesControl({ file, audit, catalog, policy }: RulesOptions): RulesControl {
  const list: RulesControl["list"] = async () => {
    const { preset = "default", rules = [], folder } = await policy();
    const { hash } = await file.read();
    return { path: file.path, preset, rules, hash, ...(folder?.rules && { folderRules: folder.rules }) };
  };
  return {
    list,
    async save(rules, baseHash) {
      await file.change((text) => writeRules(text, rules), { baseHash });
      return list();
    },
    async dryRun(given) {
      const rules = await checkRules(given);
      const tried = { ...(await policy()), rules };
      return tryRules(tried, await readCalls(audit), catalog);
    },
  };
}

/** Rules that stay where they are keep their text, so that comments beside them stay, too. */
function writeRules(text: string, rules: readonly unknown[]): string {
  const before = asRecord(asRecord(readText(text))["policy"])["rules"];
  if (!Array.isArray(before) || before.length !== rules.length) return setJson5(text, ["policy", "rules"], rules);
  return rules.reduce<string>(
    (all, rule, index) =>
      isDeepStrictEqual(rule, before[index]) ? all : setJson5(all, ["policy", "rules", index], rule),
    text,
  );
}

function readText(text: string): unknown {
  return text.trim() === "" ? {} : readJson5(text).value;
}

/** Faults with every problem, as for a configuration that has them. */
async function checkRules(rules: readonly unknown[]): Promise<PolicyRule[]> {
  if (rules.length > mostRules) throw new Fault("too-large", `At most ${mostRules} rules can be tried at once.`);
  const { loadConfig } = await import("../../../core/config/load-config.ts");
  const text = JSON.stringify({ policy: { rules } });
  const { config } = await loadConfig({ path: "rules", env: {}, text });
  return config.policy?.rules ?? [];
}

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
      if (calls.length === mostCalls) return calls;
    }
  }
  return calls;
}

/** Judges what the audit remembers of each call. What it does not keep, such as arguments, no rule asks for. */
function tryRules(policy: Policy, calls: readonly PlacedCall[], catalog: RulesOptions["catalog"]): RuleTrial {
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
      caller: callerText(line),
      was: line.verdict,
      would: verdict,
      by: advice.by,
    };
    if (examples.length < mostExamples) examples.push(effect);
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

function sourceOf({ source: id }: AuditLine, known: ReadonlyMap<string, Source>) {
  const found = known.get(id);
  const kind: Source["kind"] = found?.kind ?? (id.startsWith("app:") ? "app" : "server");
  return { id, kind, trusted: found?.trusted === true };
}

/** Its hints are those that it has now; of a tool that is gone, none are known. */
function toolOf({ tool: name }: AuditLine, catalog: RulesOptions["catalog"]) {
  const found = catalog.find(name);
  return { name, shortName: found?.shortName, aliases: found?.aliases, annotations: found?.tool.annotations };
}
