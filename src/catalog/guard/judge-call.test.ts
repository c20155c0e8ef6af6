import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Policy } from "../../core/config/policy-config.ts";
import type { Advice, CallVerdict } from "../advice.ts";
import type { DoorKind } from "../caller.ts";
import { type CallFacts, judgeCall } from "./judge-call.ts";

const facts = (parts: Partial<CallFacts> = {}): CallFacts => ({
  policy: {},
  caller: { door: "mcp-http", token: "main" },
  source: { id: "git", kind: "server", trusted: false },
  tool: { name: "git__push" },
  reach: { person: true, client: true },
  ...parts,
});

const advice = (verdict: CallVerdict, by = "consent"): Advice => ({ by, verdict, reason: "so it is" });
const readOnly = { name: "git__log", annotations: { readOnlyHint: true } };
const doors: readonly DoorKind[] = ["mcp-stdio", "mcp-http", "plugin", "node", "console", "cli", "app-proxy"];
const kinds = ["server", "app", "machine", "agent"] as const;
const verdictOf = (parts: Partial<CallFacts>): CallVerdict => judgeCall(facts(parts)).verdict;

test("by default everything runs, except that the plugin door asks for tools without a read-only hint", () => {
  for (const door of doors) {
    for (const kind of kinds) {
      const source = { id: "x", kind, trusted: false };
      expect(verdictOf({ caller: { door }, source })).toBe(door === "plugin" ? "ask" : "allow");
      expect(verdictOf({ caller: { door }, source, tool: readOnly })).toBe("allow");
    }
  }
});

test("under strict everything that is not read-only asks at every door, and only a trusted source's hints count", () => {
  const policy: Policy = { preset: "strict" };
  const source = (trusted: boolean) => ({ id: "x", kind: "server", trusted }) as const;
  for (const door of doors) {
    expect(verdictOf({ policy, caller: { door }, source: source(true) })).toBe("ask");
    expect(verdictOf({ policy, caller: { door }, source: source(true), tool: readOnly })).toBe("allow");
    expect(verdictOf({ policy, caller: { door }, source: source(false), tool: readOnly })).toBe("ask");
  }
  const why = (tool: CallFacts["tool"]) => judgeCall(facts({ policy, source: source(false), tool })).reasons[0]?.reason;
  expect(why(readOnly)).toBe(
    'policy.preset "strict" requires it: a read-only hint counts only from a trusted source, and x has no `trusted: true`',
  );
  expect(why({ name: "git__push" })).toBe('policy.preset "strict" requires it for everything that is not read-only');
});

test("under open policy never asks, but consent and pins still can", () => {
  const policy: Policy = { preset: "open" };
  for (const door of doors) expect(verdictOf({ policy, caller: { door } })).toBe("allow");
  expect(verdictOf({ policy, advice: [advice("ask", "pin")] })).toBe("ask");
});

test("the first rule that matches decides, in place of the preset", () => {
  const rules: Policy["rules"] = [
    { tool: "git__p*", door: "plugin", verdict: "allow" },
    { source: "git", verdict: "deny", reason: "not on Fridays" },
    { verdict: "allow" },
  ];
  expect(verdictOf({ policy: { rules }, caller: { door: "plugin" } })).toBe("allow");
  expect(judgeCall(facts({ policy: { rules } }))).toMatchObject({
    verdict: "deny",
    why: "policy.rules[1]",
    reasons: [{ reason: "policy.rules[1] forbids it: not on Fridays" }],
  });
  expect(verdictOf({ policy: { rules }, source: { id: "web", kind: "server", trusted: false } })).toBe("allow");
});

test.each<[NonNullable<Policy["rules"]>[number], Partial<CallFacts>, boolean]>([
  [{ token: "ci-*", verdict: "deny" }, { caller: { door: "mcp-http", token: "ci-1" } }, true],
  [{ token: "*", verdict: "deny" }, { caller: { door: "cli" } }, false],
  [{ client: "Cur?or", verdict: "deny" }, { caller: { door: "mcp-http", client: "Cursor" } }, true],
  [{ sender: "+49*", verdict: "deny" }, { caller: { door: "plugin", sender: "+4912" } }, true],
  [{ sender: "b", verdict: "deny" }, { caller: { door: "plugin", senders: ["a", "b"] } }, true],
  [{ sender: "c", verdict: "deny" }, { caller: { door: "plugin", senders: ["a", "b"] } }, false],
  [{ agent: "main", verdict: "deny" }, { caller: { door: "plugin", agent: "other" } }, false],
  [{ kind: "machine", verdict: "deny" }, {}, false],
  [{ annotation: "destructive", verdict: "deny" }, {}, true],
  [{ annotation: "destructive", verdict: "deny" }, { tool: readOnly }, false],
  [{ annotation: "!readOnly", verdict: "deny" }, {}, true],
  [{ annotation: "!openWorld", verdict: "deny" }, { tool: { name: "t", annotations: { openWorldHint: false } } }, true],
  [{ annotation: "idempotent", verdict: "deny" }, {}, false],
])("the rule %j on %j: %s", (rule, parts, denied) => {
  expect(verdictOf({ policy: { preset: "open", rules: [rule] }, ...parts })).toBe(denied ? "deny" : "allow");
});

test("a rule that allows a sender does not allow a run in which others may have written", () => {
  const rules: Policy["rules"] = [{ sender: "*", verdict: "allow" }];
  expect(verdictOf({ policy: { rules }, caller: { door: "plugin", sender: "a" } })).toBe("allow");
  expect(verdictOf({ policy: { rules }, caller: { door: "plugin", senders: ["a"] } })).toBe("ask");
});

test("under strict a rule by annotation ignores the hints of an untrusted source", () => {
  const policy: Policy = { preset: "strict", rules: [{ annotation: "readOnly", verdict: "allow" }] };
  expect(verdictOf({ policy, tool: readOnly })).toBe("ask");
});

test("the strictest advice wins, and a question that no one can be asked is a denial", () => {
  const verdict = fc.constantFrom<CallVerdict>("allow", "ask", "deny");
  const order: readonly CallVerdict[] = ["allow", "ask", "deny"];
  fc.assert(
    fc.property(verdict, fc.array(verdict, { maxLength: 4 }), fc.boolean(), (rule, others, person) => {
      const judged = verdictOf({
        policy: { rules: [{ verdict: rule }] },
        advice: others.map((other) => advice(other)),
        reach: { person, client: true },
      });
      const strictest = [rule, ...others].toSorted((a, b) => order.indexOf(b) - order.indexOf(a))[0];
      expect(judged).toBe(strictest === "ask" && !person ? "deny" : strictest);
    }),
  );
});

test("the calling client is asked only if the rule that matches permits it", () => {
  const reach = { person: false, client: true };
  const rule = { verdict: "ask", askClient: true } as const;
  expect(judgeCall(facts({ reach, policy: { rules: [rule] } }))).toMatchObject({ verdict: "ask", mayAskClient: true });
  expect(judgeCall(facts({ reach, policy: { rules: [{ verdict: "ask" }] } }))).toMatchObject({
    verdict: "deny",
    unanswerable: true,
  });
  expect(verdictOf({ reach: { person: false, client: false }, policy: { rules: [rule] } })).toBe("deny");
});

test("a lasting answer settles a question of policy, and nothing else", () => {
  const ask: Policy = { rules: [{ verdict: "ask" }] };
  expect(verdictOf({ policy: ask, remembered: "always" })).toBe("allow");
  expect(verdictOf({ policy: ask, remembered: "never" })).toBe("deny");
  expect(verdictOf({ policy: ask, remembered: "always", advice: [advice("ask", "pin")] })).toBe("ask");
  expect(verdictOf({ policy: { rules: [{ verdict: "deny" }] }, remembered: "always" })).toBe("deny");
  expect(verdictOf({ policy: { rules: [{ verdict: "allow" }] }, remembered: "never" })).toBe("allow");
});

test("reading a resource is read-only by nature: rules about tools do not apply to it, rules about its source do", () => {
  const reading = (policy: Policy) => verdictOf({ policy, tool: undefined, caller: { door: "plugin" } });
  expect(reading({ preset: "strict" })).toBe("allow");
  expect(reading({ rules: [{ tool: "*", verdict: "deny" }] })).toBe("allow");
  expect(reading({ rules: [{ source: "git", verdict: "deny" }] })).toBe("deny");
});

test.each<[NonNullable<Policy["rules"]>, CallVerdict]>([
  [[{ agent: "clawport", verdict: "deny" }], "deny"],
  [
    [
      { agent: "clawport", verdict: "allow" },
      { token: "phone", verdict: "deny" },
    ],
    "deny",
  ],
  [
    [
      { agent: "clawport", verdict: "allow" },
      { door: "mcp-http", verdict: "ask" },
    ],
    "ask",
  ],
  [
    [
      { token: "phone", verdict: "allow" },
      { agent: "clawport", verdict: "deny" },
    ],
    "allow",
  ],
  [[{ door: "console", verdict: "deny" }], "allow"],
])("an agent never has more rights than the caller it acts for: %j", (rules, verdict) => {
  const caller = { door: "mcp-http", token: "phone", agent: "clawport" } as const;
  expect(verdictOf({ policy: { rules }, caller })).toBe(verdict);
});

test("if the caller and its agent are asked about, the client is asked only if both rules permit it", () => {
  const caller = { door: "mcp-http", token: "phone", agent: "clawport" } as const;
  const asks = (agent: boolean, token: boolean) => {
    const rules: Policy["rules"] = [
      { agent: "clawport", verdict: "ask", askClient: agent },
      { token: "phone", verdict: "ask", askClient: token },
    ];
    return judgeCall(facts({ policy: { rules }, caller })).mayAskClient;
  };
  expect([asks(true, true), asks(true, false), asks(false, true)]).toEqual([true, false, false]);
});

test("a lasting answer for the caller with its agent settles the question of both", () => {
  const caller = { door: "mcp-http", token: "phone", agent: "clawport" } as const;
  const policy: Policy = { rules: [{ token: "phone", verdict: "ask" }] };
  expect(verdictOf({ policy, caller, remembered: "always" })).toBe("allow");
});

test("a server that uses the model during a call is judged as the server and as the caller", () => {
  const caller = { door: "mcp-http", token: "phone", server: "docs" } as const;
  const tool = { name: "sampling__docs" };
  const judged = (rules: Policy["rules"] = []) => verdictOf({ policy: { rules }, caller, tool });
  expect(judged()).toBe("ask");
  expect(judged([{ tool: "sampling__docs", verdict: "allow" }])).toBe("allow");
  expect(judged([{ door: "server", verdict: "allow" }])).toBe("allow");
  expect(judged([{ client: "docs", verdict: "allow" }])).toBe("allow");
  expect(judged([{ token: "phone", verdict: "deny" }, { verdict: "allow" }])).toBe("deny");
  expect(judged([{ door: "server", verdict: "deny" }, { verdict: "allow" }])).toBe("deny");
});

test("a rule that denies or asks holds for every name of a tool; one that allows only for the names it has now", () => {
  const aliases = () => ["app__wipe", "wipe"];
  const tool = { name: "app__wipe_12345678", shortName: () => "short", aliases };
  for (const name of ["app__wipe_12345678", "short", "app__wipe", "wipe", "wi*"]) {
    const judged = (verdict: CallVerdict, more: object = {}) =>
      verdictOf({ tool, policy: { preset: "strict", rules: [{ tool: name, verdict, ...more }] } });
    expect(judged("deny")).toBe("deny");
    expect(judged("allow")).toBe(aliases().includes(name) || name === "wi*" ? "ask" : "allow");
    expect(judged("allow", { source: "git" })).toBe("allow");
    expect(judged("allow", { source: "other" })).toBe("ask");
  }
});
