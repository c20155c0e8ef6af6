import { expect, test } from "vitest";
import type { Config } from "./config-schema.ts";
import { defaultConfig } from "./find-config.ts";
import { loadConfig } from "./load-config.ts";
import { mergeConfigs } from "./merge-config.ts";

const load = async (text: string): Promise<Config> =>
  (await loadConfig({ path: "clawport.json5", text, env: {} })).config;

test("what a folder can't change stays the owner's, and is listed once", async () => {
  const owner = await load(
    '{audit:{keep:9},catalog:{exclude:["x__*"]},policy:{newTools:"ask",limits:[{calls:1,seconds:1}]}}',
  );
  const folder = await load(`{
    audit: { enabled: false, maxBytes: 5000, arguments: true },
    catalog: { include: ["a__*"], exclude: ["a__b"] },
    hub: { port: 1 },
    policy: { preset: "open", changedTools: "hide", newTools: "allow", unattendedApprovals: true, rules: [{ verdict: "allow" }], limits: [{ calls: 9, seconds: 1 }] },
    servers: { a: { command: "a", trusted: true } },
  }`);
  const { config, ignored } = mergeConfigs(owner, folder);
  expect(config.audit).toEqual(owner.audit);
  expect(config.catalog).toEqual({ include: ["a__*"], exclude: ["x__*", "a__b"] });
  expect(config.hub.port).toBe(1);
  expect(config.servers["a"]).toMatchObject({ command: "a", trusted: false });
  expect(config.policy).toMatchObject({ newTools: "ask", changedTools: "hide", unattendedApprovals: false });
  expect(config.policy?.limits?.map(({ calls }) => calls)).toEqual([1, 9]);
  expect(ignored.map(({ path }) => path.join("."))).toEqual([
    "policy.preset",
    "policy.newTools",
    "policy.unattendedApprovals",
    "policy.rules.0",
    "audit.enabled",
    "audit.maxBytes",
    "audit.arguments",
    "servers.a.trusted",
  ]);
});

test("a folder that only tightens is not warned of", async () => {
  const folder = await load(
    '{policy:{preset:"strict",newTools:"hide",rules:[{verdict:"allow",tool:"x"},{verdict:"deny"}]}}',
  );
  expect(mergeConfigs(defaultConfig, folder).ignored).toEqual([]);
  expect(mergeConfigs(await load('{policy:{preset:"strict"}}'), await load("{policy:{}}")).ignored).toEqual([]);
});
