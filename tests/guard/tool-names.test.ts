import { expect, test } from "vitest";
import type { CheckedSchema } from "../../src/core/config/check-value.ts";
import { configSchema } from "../../src/core/config/config-schema.ts";
import { createProxyClient } from "../support/apps/proxy-client.ts";
import { openApp } from "../support/apps/test-app.ts";
import { until } from "../support/until.ts";
import { type StartedHub, startHub } from "../support/start-hub.ts";
import { program } from "../setup/programs.ts";

/** A pattern means the same tools whatever else is connected: every field that takes names of tools, in every situation. */

/** A pattern, and the tools that it means: whose they are, and their own names. */
const situations = [
  { name: "plain", pattern: "by_own", tools: ["files by_own"] },
  { name: "prefixed", pattern: "files__by_full", tools: ["files by_full"] },
  { name: "collided by a second session", pattern: "app__wipe", tools: ["phone wipe", "tablet wipe"] },
  { name: "collided by another server", pattern: "a__b__c", tools: ["a b__c", "a__b c"] },
  { name: "collided by a stranger's app", pattern: "app__list", tools: ["phone list", "stranger list"] },
] as const;

const patterns = situations.map(({ pattern }) => pattern);
const meant: readonly string[] = situations.flatMap(({ tools }) => tools);
const other = "files other";

interface ListedTool {
  readonly name: string;
  readonly description?: string;
}

interface Opened extends AsyncDisposable {
  listed(): Promise<readonly ListedTool[]>;
  /** Calls a tool under the name that it has now. */
  call(tool: string): Promise<string>;
}

const env = { OPENCLAW_PROXY_APP_TOKEN: "the-token-of-the-apps" };
const serverFile = program("tests/guard/named-tools-server.ts");
const servers = { files: ["by_own", "by_full", "other"], a: ["b__c"], a__b: ["c"] };
const apps = { phone: ["wipe", "list"], tablet: ["wipe"], stranger: ["list"] };

/** Servers and sessions of apps, several of which have a tool of the same name. */
async function open(config: object, ofServer: Readonly<Record<string, object>> = {}): Promise<Opened> {
  await using stack = new AsyncDisposableStack();
  const entries = Object.entries(servers).map(([name, tools]) => {
    const args = [serverFile, name, ...tools];
    return [name, { command: process.execPath, args, ...ofServer[name] }];
  });
  const started = await startHub({
    config: {
      hub: { surface: "full" },
      servers: Object.fromEntries(entries),
      apps: { serve: true, show: true, port: 0 },
      ...config,
    },
    env,
  });
  stack.use(started);
  for (const [device, tools] of Object.entries(apps)) stack.use(await connect(started, device, tools));
  await until(() => started.hub.sources().filter(({ kind }) => kind === "app").length === 3, "the apps");
  const own = stack.move();
  const opened: Opened = {
    listed: () => started.list("main"),
    async call(tool) {
      const found = (await opened.listed()).find(({ description }) => description === tool);
      return found === undefined ? "not listed" : started.call("main", found.name, {});
    },
    [Symbol.asyncDispose]: () => own.disposeAsync(),
  };
  return opened;
}

async function connect({ hub }: StartedHub, device: string, names: readonly string[]) {
  const proxy = createProxyClient(hub.appsAddress!, env);
  const tools = names.map((name) => ({ name, description: `${device} ${name}` }));
  const headers = { authorization: `Bearer ${env.OPENCLAW_PROXY_APP_TOKEN}` };
  const session = await proxy.create({ device_name: device, tools }, headers);
  return openApp(session.bridge_url, {
    headers: { authorization: `Bearer ${session.bridge_token}` },
    tools: Object.fromEntries(names.map((name) => [name, () => `${device} ran ${name}`])),
  });
}

const ran = (tool: string): string => tool.replace(" ", " ran ");

/** Expects the same of a call of each tool that a pattern means. */
async function expectCalls(opened: Opened, check: (text: string, tool: string) => void): Promise<void> {
  for (const { name, tools } of situations)
    for (const tool of tools) {
      const text = await opened.call(tool);
      expect(text, `${name}: ${tool}`).not.toBe("not listed");
      check(text, tool);
    }
  expect(await opened.call(other)).toContain(ran(other));
}

/** What the fields that take names of tools do, by their places in the schema. */
const fields: Readonly<Record<string, () => Promise<void>>> = {
  async "policy.rules.*.tool"() {
    for (const verdict of ["deny", "ask"]) {
      await using opened = await open({ policy: { rules: patterns.map((tool) => ({ tool, verdict })) } });
      await expectCalls(opened, (text) => {
        expect(text).toMatch(verdict === "deny" ? /was denied: policy\.rules/ : /needs approval, but no one/);
      });
    }
  },
  async "policy.limits.*.tool"() {
    const limits = patterns.map((tool) => ({ tool, calls: 1, seconds: 3600, per: "caller-and-tool" }));
    await using opened = await open({ policy: { limits } });
    await expectCalls(opened, (text, tool) => expect(text).toContain(ran(tool)));
    await expectCalls(opened, (text) => expect(text).toContain("exceeded a limit in policy.limits"));
  },
  async "catalog.exclude"() {
    await using opened = await open({ catalog: { exclude: patterns } });
    const shown = (await opened.listed()).map(({ description = "" }) => description);
    expect(shown.filter((text) => meant.includes(text))).toEqual([]);
    expect(shown).toContain(other);
  },
  async "catalog.include"() {
    await using opened = await open({ catalog: { include: patterns } });
    const shown = (await opened.listed()).map(({ description = "" }) => description);
    expect(shown.filter((text) => meant.includes(text)).toSorted()).toEqual(meant.toSorted());
    expect(shown).not.toContain(other);
  },
  async "hub.always"() {
    await using opened = await open({ hub: { surface: "search", always: patterns } });
    const shown = (await opened.listed()).map(({ description = "" }) => description);
    expect(shown.filter((text) => meant.includes(text)).toSorted()).toEqual(meant.toSorted());
    expect(shown).not.toContain(other);
  },
  "servers.*.tools.exclude": () => expectOfServers("exclude"),
  "servers.*.tools.include": () => expectOfServers("include"),
  async "servers.*.tools.rename"() {
    const renamed = (name: string, to: string) => ({ tools: { rename: { [name]: to } } });
    await using opened = await open(
      {},
      { files: renamed("files__by_full", "x"), a: renamed("a__b__c", "y"), a__b: renamed("a__b__c", "z") },
    );
    const names = (await opened.listed()).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["files__by_own", "files__x", "a__y", "a__b__z"]));
  },
  async "servers.*.tools.describe"() {
    const described = (name: string) => ({ tools: { describe: { [name]: "said otherwise" } } });
    await using opened = await open(
      {},
      { files: described("by_own"), a: described("a__b__c"), a__b: described("a__b__c") },
    );
    const shown = (await opened.listed()).filter(({ description }) => description === "said otherwise");
    expect(shown).toHaveLength(3);
  },
};

/** Sessions of apps have no settings of their own. */
async function expectOfServers(field: "include" | "exclude"): Promise<void> {
  const of = (...names: readonly string[]) => ({ tools: { [field]: names } });
  await using opened = await open({}, { files: of("by_own", "files__by_full"), a: of("a__b__c"), a__b: of("a__b__c") });
  const shown = (await opened.listed()).map(({ description = "" }) => description);
  const ofServers = ["files by_own", "files by_full", "a b__c", "a__b c"];
  const left = shown.filter((text) => [...ofServers, other].includes(text));
  expect(left.toSorted()).toEqual(field === "exclude" ? [other] : ofServers.toSorted());
}

/** Fields whose description speaks of tools without taking their names. */
const others: readonly string[] = [
  "apps.prefix",
  // It asks `isMeant` as rules do; what it decides is tried in flows.test.ts.
  "policy.labels.*.tool",
  "policy.labels.*.source",
  "policy.limits.*.source",
  "policy.rules.*.agent",
  "policy.rules.*.source",
  "servers",
  "servers.*.toolPrefix",
];

/** Fields for names of this computer's own tools, which have no prefix, and which no other source can claim. */
const ownNames = ["machine.consent"];

test.for(Object.entries(fields))("%s means its tools in every situation", { timeout: 60_000 }, async ([, check]) => {
  await expect(check()).resolves.toBeUndefined();
});

test("of two servers with one prefix neither inherits a rule that allows, unless it names the source or every one", async () => {
  const named = (name: string, ...tools: readonly string[]) => ({
    toolPrefix: "notes",
    command: process.execPath,
    args: [serverFile, name, ...tools],
  });
  // The first one has the tool, but never connects.
  const both = { first: { ...named("first", "read"), command: "false" }, second: named("second", "read", "list") };
  for (const [rule, isAllowed] of [
    [{ tool: "notes__read" }, false],
    [{ tool: "notes__*" }, false],
    [{ tool: "notes__read", source: "first" }, false],
    [{ tool: "notes__read", source: "second" }, true],
    [{ tool: "*" }, true],
    [{ tool: "*__read" }, true],
  ] as const) {
    const rules = [{ ...rule, verdict: "allow" }, { verdict: "ask" }];
    await using hub = await startHub({ config: { servers: both, policy: { rules } } });
    const text = `${JSON.stringify(rule)}: ${await hub.call("main", "notes__read", {})}`;
    expect(text).toContain(isAllowed ? "second ran read" : "needs approval");
  }
  const rules = [{ tool: "notes__read", verdict: "allow" }, { verdict: "ask" }];
  await using alone = await startHub({ config: { servers: { second: both.second }, policy: { rules } } });
  expect(await alone.call("main", "notes__read", {})).toContain("second ran read");
});

test("no other field of the configuration takes names of tools", () => {
  const found = [...textFields(configSchema, [])].filter(([, text]) => /\btools?\b/i.test(text)).map(([path]) => path);
  expect(found.toSorted()).toEqual([...Object.keys(fields), ...others, ...ownNames].toSorted());
});

/** Fields that hold texts, or that go by texts, with their descriptions. */
function* textFields(schema: CheckedSchema, path: readonly string[]): Generator<readonly [string, string]> {
  const {
    properties = {},
    patternProperties = {},
    items,
    description = "",
    type,
  } = schema as CheckedSchema & {
    readonly description?: string;
  };
  const keyed = Object.values(patternProperties);
  const isOfTexts = type === "string" || items?.type === "string" || keyed.length > 0;
  if (isOfTexts) yield [path.join("."), description];
  for (const [key, part] of Object.entries(properties)) yield* textFields(part, [...path, key]);
  for (const part of keyed) yield* textFields(part, [...path, "*"]);
  if (items !== undefined && items.type !== "string") yield* textFields(items, [...path, "*"]);
}
