import { expect, test } from "vitest";
import { startGuard } from "../../../tests/support/start-guard.ts";
import type { Caller } from "../../catalog/caller.ts";
import type { Policy } from "../../core/config/policy-config.ts";
import { Fault } from "../../core/fault.ts";
import { quietOptions } from "../../sources/agent/reply-backend.contract.ts";
import type { HubControl } from "../control/verbs.ts";
import type { ConfigEditor } from "./connect.ts";
import { createMcpCommand } from "./mcp-command.ts";

const owner: Caller = { door: "mcp-http", token: "main", isLocal: true };
const status = { name: "docs", address: "https://docs.example/mcp", state: "ready", auth: "None", tools: 2 };

/** Servers whose sign-ins, status and lists can be asked for, and an editor that only counts. */
async function open(policy: Policy = {}) {
  const parts = await startGuard({ policy });
  const events: string[] = [];
  const editor = {
    check: async (_place, name) => void events.push(`check ${name}`),
    add: async (_place, name, { url }) => (events.push(`add ${name} ${String(url)}`), async () => {}),
  } as Partial<ConfigEditor> as ConfigEditor;
  let listed = [status];
  const signedOut = new Fault("unauthorized", "docs needs a sign-in. Run `clawport auth docs` to sign in.");
  const control = {
    signIns: {
      list: () => Promise.resolve([]),
      logout: async ({ server: name }: { server: string }) => (
        events.push(`logout ${name}`),
        { wasSignedIn: true, revoked: true }
      ),
      finish: async ({ server: name }: { server: string }) => void events.push(`finish ${name}`),
    },
    servers: {
      list: async () => (events.push("list"), listed),
      connect: async ({ name }: { name: string }) => (events.push(`connect ${name}`), { ...status, name }),
      refresh: () => Promise.reject(signedOut),
      logs: () => Promise.resolve("run clawport servers\n"),
    },
    tools: { list: () => Promise.resolve([{ name: "docs__find", source: "docs", inputSchema: { type: "object" } }]) },
    configuration: {
      place: () => Promise.resolve({ path: "clawport.json5", location: "state-folder" }),
      reload: async () => void events.push("reload"),
    },
  } as unknown as HubControl;
  const command = createMcpCommand({
    control: () => Promise.resolve(control),
    settled: async () => void events.push("settled"),
    guard: parts.guard,
    openEditor: () => Promise.resolve(editor),
  });
  return {
    ...parts,
    events,
    list: (servers: (typeof status)[]) => void (listed = servers),
    mcp: async (words: string, caller = owner) => (await command(words, quietOptions({ caller }))).text ?? "",
  };
}

test.each(["auth one --lgout", "auth one --code", "auth one --device=yes", "auth one two", "auth one -x"])(
  '"/mcp %s" gets the usage, and begins no sign-in',
  async (words) => {
    await using opened = await open();
    await expect(opened.mcp(words)).rejects.toMatchObject({
      code: "usage",
      message: expect.stringContaining("/mcp auth <server> [--code <code or address>]"),
    });
  },
);

test('"/mcp auth" without a server says how to name one, and "--list" needs none', async () => {
  await using opened = await open();
  await expect(opened.mcp("auth")).rejects.toMatchObject({
    code: "usage",
    message: expect.stringContaining("/mcp servers"),
  });
  expect(await opened.mcp("auth --list")).toContain("No sign-ins.");
});

test.each(["connect docs", "disconnect docs", "auth docs", "auth --list", "refresh", "logs docs"])(
  '"/mcp %s" is refused without the right to control',
  async (words) => {
    await using opened = await open();
    for (const caller of [
      { door: "mcp-http", token: "main" },
      { door: "mcp-http", token: "phone", isLocal: true },
      { door: "mcp-http", token: "phone", view: "agent" },
    ] as const)
      await expect(opened.mcp(words, caller)).rejects.toMatchObject({
        code: "denied",
        message: `Only the main token may use \`/mcp ${words.split(" ")[0]}\`, and only from this machine.`,
      });
    expect(opened.events).toEqual([]);
  },
);

test("lists wait for servers that are connecting", async () => {
  await using opened = await open();
  for (const words of ["", "servers", "tools", "status docs"]) {
    opened.events.length = 0;
    await opened.mcp(words);
    expect(opened.events[0]).toBe("settled");
  }
});

test("hints name /mcp commands, but the output of a server is not changed", async () => {
  await using opened = await open();
  await expect(opened.mcp("refresh")).rejects.toThrow("Run `/mcp auth docs` to sign in.");
  expect(await opened.mcp("logs docs")).toBe("run clawport servers");
  expect(await opened.mcp("connect docs")).toContain("docs");
});

const adding = "connect https://new.example/mcp --name fresh";
const added = ["check fresh", "add fresh https://new.example/mcp", "reload", "connect fresh"];
const changes = (events: readonly string[]) => events.filter((event) => event !== "list");

test("a person who types at a terminal or in the console adds a server without a question", async () => {
  for (const door of ["cli", "console"] as const) {
    await using opened = await open();
    const questions = opened.person("once");
    expect(await opened.mcp(adding, { door })).toMatch(/^Added fresh to clawport\.json5\.\nfresh\n[\s\S]*docs__find/);
    expect(changes(opened.events)).toEqual(added);
    expect(questions).toEqual([]);
    expect(opened.entries).toMatchObject([
      { tool: "mcp_connect", caller: { door, agent: "clawport" }, verdict: "allow", outcome: "ok" },
    ]);
  }
});

/** Everything that lets tool calls run without a question. */
const policies: readonly Policy[] = [
  {},
  { preset: "open" },
  { preset: "default" },
  { preset: "strict" },
  { rules: [{ tool: "mcp_*", verdict: "allow" }] },
  { preset: "open", rules: [{ source: "agent", tool: "*", verdict: "allow" }] },
];
const orderers: readonly Caller[] = [owner, { door: "mcp-stdio" }, { door: "mcp-stdio", token: "stdio" }];

test.each(policies)("an order that changes servers asks a person, whatever the policy is: %j", async (policy) => {
  for (const caller of orderers)
    for (const [words, tool, done] of [
      [adding, "mcp_connect", added],
      ["auth docs --logout", "mcp_auth", ["logout docs"]],
    ] as const) {
      await using alone = await open(policy);
      await expect(alone.mcp(words, caller)).rejects.toMatchObject({
        code: "denied",
        message: expect.stringMatching(
          new RegExp(
            `^${tool} needs approval, but no one is available to approve it: .*always needs the approval of a person`,
          ),
        ),
      });
      await expect(alone.mcp(words, caller)).rejects.not.toThrow(/clawport|rule|policy\.rules\[/);
      expect(changes(alone.events)).toEqual([]);
      await using asked = await open(policy);
      const questions = asked.person("no", "once");
      await expect(asked.mcp(words, caller)).rejects.toThrow("the answer was no");
      expect(changes(asked.events)).toEqual([]);
      await asked.mcp(words, caller).catch(() => {});
      expect(changes(asked.events)).toEqual(expect.arrayContaining([...done]));
      expect(questions).toHaveLength(2);
      expect(questions[0]!.choices).toEqual(["once"]);
    }
});

test("the beginning of a sign-in asks, its code does not ask again, and a rule can forbid both changes", async () => {
  await using opened = await open();
  await expect(opened.mcp("auth docs")).rejects.toThrow("mcp_auth needs approval");
  await opened.mcp("auth docs --code abc").catch(() => {});
  expect(opened.events).toContain("finish docs");
  await using denied = await open({ rules: [{ tool: "mcp_*", token: "main", verdict: "deny" }] });
  for (const words of [adding, "auth docs"])
    await expect(denied.mcp(words)).rejects.toThrow("was denied: policy.rules[0]");
});

test.each([
  ["connect", "Name a server"],
  ["connect a b", "Usage: /mcp connect <server or address> [--name <name>]."],
  ["connect --nam x https://new.example/mcp", "Usage: /mcp connect"],
  ["connect dosc", 'There is no server "dosc". Did you mean "docs"?'],
  ["connect 'npx -y evil'", "Only servers with an address can be added here."],
  ["connect http://new.example/mcp", "must begin with https"],
])('"/mcp %s" is answered with what is wrong', async (words, says) => {
  await using opened = await open();
  await expect(opened.mcp(words)).rejects.toMatchObject({ code: "usage", message: expect.stringContaining(says) });
  expect(opened.entries).toEqual([]);
});

test.each([
  ["stdio:///opt/bin/notes -p hunter2 -k x /srv/s3cret positional", "stdio://notes"],
  ["stdio://npx -y @mcp/server-filesystem /srv/s3cret", "stdio://npx @mcp/server-filesystem"],
  ["stdio://npx --registry https://a.example @mcp/x", "stdio://npx"],
  ["stdio://uvx mcp-server-git@1.2.3 --repository /srv", "stdio://uvx mcp-server-git@1.2.3"],
])("no verb prints the arguments of %s", async (address, shown) => {
  await using opened = await open();
  opened.list([{ ...status, address }]);
  for (const words of ["servers", "status", "status docs", "connect docs"]) {
    const text = await opened.mcp(words);
    expect(text).toContain(shown);
    expect(text).not.toMatch(/hunter2|s3cret|positional|registry|repository/);
  }
});
