import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Config } from "../../core/config/config-schema.ts";
import { defaultConfig } from "../../core/config/find-config.ts";
import { loadConfig } from "../../core/config/load-config.ts";
import { mergeConfigs } from "../../core/config/merge-config.ts";
import type { Caller, DoorKind } from "../caller.ts";
import { judgeCall, type ToolFacts, traitsOf } from "./judge-call.ts";
import { createRateLimits } from "./rate-limits.ts";

const load = async (text: string): Promise<Config> =>
  (await loadConfig({ path: "clawport.json5", text, env: {} })).config;

const maybe = <T>(from: readonly T[]) => fc.option(fc.constantFrom(...from), { nil: undefined });
const doors: readonly DoorKind[] = ["mcp-stdio", "mcp-http", "plugin", "cli", "server"];
const names = ["a__read", "a__write", "b__read"];
const annotations = ["readOnly", "!readOnly", "destructive", "!openWorld"] as const;

/** Leaves out what is undefined, as a configuration does. */
const record = <T extends object>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc
    .record(model)
    .map((made) => Object.fromEntries(Object.entries(made).filter(([, value]) => value !== undefined)) as never);

const rules = fc.array(
  record({
    tool: maybe([...names, "a__*", "*"]),
    source: maybe(["a", "?"]),
    door: maybe(doors),
    token: maybe(["main", "*"]),
    annotation: maybe(annotations),
    verdict: fc.constantFrom("allow", "ask", "deny"),
    askClient: maybe([true, false]),
  }),
  { maxLength: 5 },
);

const limits = fc.array(
  record({
    tool: maybe(["a__*", "*"]),
    door: maybe(doors),
    calls: fc.integer({ min: 1, max: 4 }),
    seconds: fc.constantFrom(1, 100),
    per: maybe(["caller", "tool", "caller-and-tool"]),
  }),
  { maxLength: 3 },
);

const policies = fc.option(
  record<NonNullable<Config["policy"]>>({ preset: maybe(["open", "default", "strict"]), rules, limits } as never),
  { nil: undefined },
);

/** A configuration with this policy and a server `a` that is trusted or not. */
const configs: fc.Arbitrary<Config> = fc.record({ policy: policies, trusted: fc.boolean() }).map((made) => ({
  ...defaultConfig,
  servers: { a: { trusted: made.trusted } as Config["servers"][string] },
  ...(made.policy === undefined ? {} : { policy: made.policy }),
}));

const callers: fc.Arbitrary<Caller> = fc.record({ door: fc.constantFrom(...doors), token: fc.constant("main") });
const strictness = { allow: 0, ask: 1, deny: 2 };

test("no folder's configuration loosens a verdict of the owner, nor who may be asked", () => {
  fc.assert(
    fc.property(
      configs,
      configs,
      callers,
      fc.record({ name: fc.constantFrom(...names), annotations: fc.record({ readOnlyHint: fc.boolean() }) }),
      fc.record({ person: fc.boolean(), client: fc.boolean() }),
      maybe(["always", "never"] as const),
      (owner, folder, caller, tool, reach, remembered) => {
        const { config } = mergeConfigs(owner, folder);
        const judge = ({ policy = {} }: Config, trusted: boolean) =>
          judgeCall({ policy, caller, tool, reach, remembered, source: { id: "a", kind: "server", trusted } });
        // The owner has not marked the folder's server as trusted.
        const own = judge(owner, false);
        const active = judge(config, config.servers["a"]!.trusted);
        expect(strictness[active.verdict]).toBeGreaterThanOrEqual(strictness[own.verdict]);
        const bothAsk = active.verdict === "ask" && own.verdict === "ask";
        expect(bothAsk && active.mayAskClient && !own.mayAskClient).toBe(false);
      },
    ),
    { numRuns: 2000 },
  );
});

test("a folder without a policy leaves every verdict as it is", () => {
  const bare: Config = { ...defaultConfig, servers: {} };
  fc.assert(
    fc.property(configs, callers, fc.constantFrom(...names), (owner, caller, name) => {
      const judge = ({ policy = {} }: Config) =>
        judgeCall({
          policy,
          caller,
          tool: { name },
          reach: { person: true, client: true },
          source: { id: "a", kind: "server", trusted: false },
        });
      const [active, own] = [judge(mergeConfigs(owner, bare).config), judge(owner)];
      expect([active.verdict, active.mayAskClient]).toEqual([own.verdict, own.mayAskClient]);
    }),
  );
});

test("no folder's limits let through a call that the owner's limits alone would stop", () => {
  const tool = (name: string): ToolFacts => ({ tool: { name }, source: "a", kind: "server", traits: traitsOf() });
  fc.assert(
    fc.property(
      configs,
      configs,
      fc.array(fc.record({ caller: callers, name: fc.constantFrom(...names) }), { maxLength: 20 }),
      (owner, folder, calls) => {
        const own = createRateLimits(owner.policy?.limits ?? []);
        const active = createRateLimits(mergeConfigs(owner, folder).config.policy?.limits ?? []);
        const taken = calls.map((call, at) => ({ ...call, at, wait: active.take(tool(call.name), call.caller, at) }));
        // Only what really ran counts against the owner's limits.
        const ran = taken.filter(({ wait }) => wait === 0);
        expect(ran.map(({ caller, name, at }) => own.take(tool(name), caller, at))).toEqual(ran.map(() => 0));
      },
    ),
  );
});

test("the rules of a folder add up with the owner's, and are named as the folder's", async () => {
  const asks = '{tool:"a__ask",verdict:"ask",askClient:true}';
  const owner = await load(`{policy:{rules:[{tool:"a__write",verdict:"deny"},${asks},{verdict:"allow"}]}}`);
  const folder = await load('{policy:{rules:[{tool:"a__read",verdict:"allow"},{tool:"a__*",verdict:"ask"}]}}');
  const { policy = {} } = mergeConfigs(owner, folder).config;
  const judge = (name: string) =>
    judgeCall({
      policy,
      caller: { door: "cli" },
      tool: { name },
      reach: { person: true, client: true },
      source: { id: "a", kind: "server", trusted: false },
    });
  expect(judge("a__write")).toMatchObject({ verdict: "deny", why: "policy.rules[0] of your own configuration" });
  expect(judge("a__other")).toMatchObject({ verdict: "ask", why: "policy.rules[1] of this folder" });
  expect(judge("a__read")).toMatchObject({ verdict: "allow" });
  expect(judge("a__ask")).toMatchObject({ verdict: "ask", mayAskClient: false });
});
