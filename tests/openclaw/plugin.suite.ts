import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type AuthorizationServer, startAuthorizationServer } from "../oauth/bench/authorization-server.ts";
import { createVisitor } from "../oauth/bench/consent.ts";
import { type ProtectedServer, startProtectedServer } from "../oauth/bench/protected-server.ts";
import { clawport, type Place } from "../cli/run-clawport.ts";
import { type GatewayChat, openChat } from "./bench/gateway-chat.ts";
import { openBench, type OpenClawBench } from "./bench/open-bench.ts";
import { installPlugin, packPlugin } from "./bench/pack-plugin.ts";
import { startWebServer } from "./bench/web-server.ts";

const fixture = join(import.meta.dirname, "fixtures", "notes-server.ts");
const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ";

/** Packing, installing and starting take most of a minute, and several on a busy machine. */
const setUpMs = 600_000;

let bench: OpenClawBench;
let chat: GatewayChat;
let web: Awaited<ReturnType<typeof startWebServer>>;
let authority: AuthorizationServer;
let secured: ProtectedServer;
let tarball = "";

beforeAll(async () => {
  [web, authority, tarball] = await Promise.all([startWebServer(), startAuthorizationServer(), packPlugin()]);
  secured = await startProtectedServer(authority);
  bench = await openBench({
    config: {
      agents: {
        defaults: { model: { primary: "mock/mock-1" }, skipBootstrap: true, heartbeat: { every: "0m" } },
        entries: { main: { default: true }, work: {} },
      },
      plugins: { allow: ["mcp-client"], slots: { memory: "none" } },
    },
    async prepare(program, env) {
      await installPlugin(program, tarball, env);
      await editConfig(env["OPENCLAW_CONFIG_PATH"] ?? "", (config) => {
        config["plugins"].entries["mcp-client"] = {
          enabled: true,
          hooks: { allowConversationAccess: true },
          config: {
            servers: {
              notes: notesIn(env),
              web: { url: web.url },
              one: { url: secured.url },
            },
            agents: { work: { servers: ["web"] } },
          },
        };
      });
    },
  });
  chat = await openChat(bench.url, bench.token);
}, setUpMs);
afterAll(async () => {
  await chat?.[Symbol.asyncDispose]();
  await bench?.[Symbol.asyncDispose]();
  await secured?.[Symbol.asyncDispose]();
  await authority?.[Symbol.asyncDispose]();
  await web?.[Symbol.asyncDispose]();
});

function notesIn(env: Readonly<Record<string, string>>): object {
  const { HOME: home = "" } = env;
  return {
    command: process.execPath,
    args: [fixture],
    env: { NOTES_LOG: join(home, "notes.log"), NOTES_LATER: join(home, "later") },
  };
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a configuration of another program
type Json = Record<string, any>;

async function editConfig(path: string, edit: (config: Json) => void): Promise<void> {
  const config = JSON.parse(await readFile(path, "utf8")) as Json;
  edit(config);
  await writeFile(path, JSON.stringify(config, undefined, 2));
}

const configPath = (): string => bench.env["OPENCLAW_CONFIG_PATH"] ?? "";
const readConfig = async (): Promise<Json> => JSON.parse(await readFile(configPath(), "utf8")) as Json;
const notesLog = async (): Promise<readonly string[]> =>
  (await readFile(join(bench.folder, "notes.log"), "utf8").catch(() => "")).split("\n").filter((line) => line !== "");
const offered = (): readonly string[] => (bench.model.requests.at(-1)?.tools ?? []).map((tool) => tool.function.name);
const patiently = { timeout: 90_000, interval: 500 };

/** What the model is offered in a new chat. OpenClaw gives up runs that a change of its configuration overtakes. */
async function lookAt(agent = "main"): Promise<readonly string[]> {
  await chat.say("hello", `agent:${agent}:${randomUUID()}`).catch(() => undefined);
  return offered();
}

vi.setConfig({ testTimeout: 120_000 });

/** Resolves when OpenClaw has taken up a change of this part of its configuration. A run in the meantime would fail. */
async function reloaded(part: string): Promise<void> {
  const applied = new RegExp(`config hot reload applied \\([^)]*${part.replaceAll(".", "\\.")}`);
  await expect.poll(() => readFile(join(bench.folder, "gateway.log"), "utf8"), patiently).toMatch(applied);
}

describe("tools", () => {
  test("the model is offered the tools of a stdio and of an HTTP server by their names", async () => {
    await reloaded("mcp.servers");
    await expect.poll(() => lookAt(), patiently).toEqual(expect.arrayContaining(["notes__read", "web__search"]));
  });

  test("it calls them and gets the results; one process serves all chats", async () => {
    expect(await chat.say('call:notes__read {"name":"a"}')).toContain("note a");
    expect(await chat.say('call:notes__read {"name":"b"}')).toContain("note b");
    expect(await chat.say('call:web__search {"query":"x"}')).toContain("found x");
    const log = await notesLog();
    expect(log.filter((line) => line.startsWith("start"))).toHaveLength(1);
    // Nothing of the ticket reaches the server, nor what it stands for.
    expect(log.find((line) => line.startsWith("read"))).toMatch(/^read \{"name":"a"\} \{"progressToken":\d+\}$/);
  });

  test("an image reaches the model as an image", async () => {
    await chat.say("call:notes__picture {}");
    const asked = JSON.stringify(bench.model.requests.at(-1));
    expect(asked).toContain("image_url");
    expect(asked).toContain(png);
  });

  test("audio is saved, and the agent can send the file on", async () => {
    const [, path = ""] = /saved to (\S+\.mp3)/.exec(await chat.say("call:notes__sound {}")) ?? [];
    expect(await readFile(path, "utf8")).toBe("ID3 sound");
  });

  test("a tool that the server adds is callable in the next turn of the same chat", async () => {
    const session = `agent:main:${randomUUID()}`;
    await chat.say("hello", session);
    expect(offered()).not.toContain("notes__later");
    await writeFile(join(bench.folder, "later"), "");
    await expect.poll(async () => (await chat.say("hello", session), offered()), patiently).toContain("notes__later");
    expect(await chat.say("call:notes__later {}", session)).toContain("later it is");
  });

  test("a killed server comes back, and its tools work again", async () => {
    const [pid] = pidsOf(await chat.say("/mcp status notes"));
    process.kill(Number(pid), "SIGKILL");
    await expect.poll(() => chat.say('call:notes__read {"name":"again"}'), patiently).toContain("note again");
    expect(pidsOf(await chat.say("/mcp status notes"))).not.toContain(pid);
  });

  test("the servers are in the system prompt", async () => {
    await chat.say("hello");
    expect(JSON.stringify(bench.model.requests.at(-1))).toMatch(/<available-mcp-servers>.*web.*tools=.*1.*connected/);
  });
});

/** A command right after a change of the configuration: OpenClaw may refuse it until it has taken up the change. */
async function command(text: string): Promise<string> {
  let answer = "";
  await expect.poll(async () => (answer = await chat.say(text)), patiently).not.toBe("");
  return answer;
}

const pidsOf = (status: string): readonly string[] => [...status.matchAll(/PID (\d+)/g)].map(([, pid = ""]) => pid);

describe("approvals", () => {
  const write = (name: string) => chat.say(`call:notes__write {"name":"${name}"}`, "agent:main:approvals");

  test("a tool without a read-only hint asks; a denial keeps it from running", async () => {
    const answered = chat.answerNext("deny");
    const text = await write("denied");
    expect(await answered).toMatchObject({ toolName: "notes__write", description: expect.stringContaining("denied") });
    expect(text).toMatch(/denied/i);
    expect(await notesLog()).not.toContain('write {"name":"denied"}');
  });

  test("allowed once, it asks again; allowed always, it does not", async () => {
    let answered = chat.answerNext("allow-once");
    expect(await write("once")).toContain("wrote once");
    await answered;
    answered = chat.answerNext("allow-always");
    expect(await write("always")).toContain("wrote always");
    await answered;
    const before = chat.asked.length;
    expect(await write("remembered")).toContain("wrote remembered");
    expect(chat.asked).toHaveLength(before);
  });

  test("the audit names the agent and the sender", async () => {
    const text = await readFile(join(bench.env["OPENCLAW_STATE_DIR"] ?? "", "mcp", "audit", "calls.jsonl"), "utf8");
    expect(text).toMatch(/"door":"plugin".*"sender":"webchat:.*"agent":"main".*"tool":"notes__write"/);
  });
});

describe("two agents", () => {
  test("each is offered its own servers only", async () => {
    const own = await lookAt("work");
    expect(own).toContain("web__search");
    expect(own.filter((name) => name.startsWith("notes__"))).toEqual([]);
    const { agents } = await readConfig();
    expect(agents.entries.work.tools.deny).toEqual(expect.arrayContaining(["notes__*", "one__*"]));
    expect(agents.entries.main.tools).toBeUndefined();
  });
});

describe("a caller without a ticket", () => {
  const callAs = async (name: string, more: object = {}) => {
    const { mcp } = await readConfig();
    const { url, headers } = mcp.servers.notes;
    const response = await fetch(url, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json", accept: "application/json, text/event-stream" },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name, arguments: { name: "stranger", ...more } },
      }),
    });
    return response.text();
  };

  test("runs what is read-only, and nothing else", async () => {
    expect(await callAs("read")).toContain("note stranger");
    expect(await callAs("write")).toContain("needs approval");
    expect(await callAs("write", { _clawport: "A".repeat(22) })).toContain("needs approval");
    expect(await notesLog()).not.toContain('write {"name":"stranger"}');
  });

  test("reaches nothing but the servers of this token", async () => {
    const { mcp } = await readConfig();
    const { url, headers } = mcp.servers.notes;
    const there = (path: string) => fetch(new URL(path, url), { headers });
    expect((await there("/mcp")).status).toBe(404);
    expect((await there("/metrics")).status).toBe(403);
  });
});

describe("/mcp", () => {
  test("answers every command without the model", async () => {
    const before = bench.model.requests.length;
    expect(await chat.say("/mcp servers")).toMatch(
      /MCP Servers \(3 configured\)[\s\S]*web +http[\s\S]*Status: Connected \| Auth: None \| Tools: 1/,
    );
    expect(await chat.say("/mcp")).toContain("MCP Servers");
    expect(await chat.say("/mcp tools web")).toMatch(/web__search +— Searches the web/);
    expect(await chat.say("/mcp tools")).toContain("notes__read");
    expect(await chat.say("/mcp status web")).toMatch(/web[\s\S]*Protocol/);
    expect(await chat.say("/mcp status")).toContain("kept by OpenClaw's gateway");
    expect(await chat.say("/mcp refresh web")).toContain("web");
    expect(await chat.say('/mcp call notes__write {"name":"typed"}')).toContain("wrote typed");
    expect(await chat.say("/mcp help")).toContain("/mcp connect");
    expect(await chat.say("/mcp disconnect web")).toMatch(/disconnected/i);
    expect(await chat.say("/mcp connect web")).toContain("Connected");
    expect(await chat.say("/mcp nonsense")).toContain("no command");
    expect(bench.model.requests).toHaveLength(before);
  });

  test("connect writes the configuration, and the tools are offered without a restart", async () => {
    const text = await chat.say(`/mcp connect ${web.url}?two --name two`);
    expect(text).toContain("two__search");
    const { plugins } = await readConfig();
    expect(plugins.entries["mcp-client"].config.servers.two).toEqual({ url: `${web.url}?two` });
    await reloaded("mcp.servers.two");
    await expect.poll(() => lookAt(), patiently).toContain("two__search");
    expect(await chat.say("/mcp disconnect two")).toMatch(/disconnected/i);
    expect((await readConfig()).plugins.entries["mcp-client"].config.servers.two).toBeDefined();
  });

  test("auth with a code signs in to an OAuth server", async () => {
    const before = bench.model.requests.length;
    const [address = ""] = /https?:\/\/\S+/.exec(await command("/mcp auth one")) ?? [];
    const left = await createVisitor().consent(address);
    expect(await chat.say(`/mcp auth one --code ${left.href}`)).toMatch(/signed in/i);
    expect(bench.model.requests).toHaveLength(before);
    await expect.poll(() => lookAt(), patiently).toContain("one__read");
    expect(await chat.say("call:one__read {}")).toContain("read with mcp:read");
  });
});

describe("the configuration", () => {
  test("an edit adds a server without a restart, and the others keep running", async () => {
    const [pid] = pidsOf(await command("/mcp status notes"));
    await editConfig(configPath(), (config) => {
      const { servers } = config["plugins"].entries["mcp-client"].config;
      servers.more = { ...servers.notes, env: {} };
    });
    await reloaded("mcp.servers.more");
    await expect.poll(() => lookAt(), patiently).toContain("more__read");
    expect(await chat.say('call:more__read {"name":"c"}')).toContain("note c");
    expect(pidsOf(await chat.say("/mcp status notes"))).toEqual([pid]);
  });

  test("an entry of the user's own is left alone", async () => {
    const { mcp } = await readConfig();
    expect(Object.keys(mcp.servers).toSorted()).toEqual(["more", "notes", "one", "two", "web"]);
  });
});

describe("beside it", () => {
  test("commands of the same state folder use the gateway's servers, and a hub is not started twice", async () => {
    const home = join(bench.env["OPENCLAW_STATE_DIR"] ?? "", "mcp");
    const place: Place = { folder: bench.folder, home, env: bench.env, [Symbol.asyncDispose]: async () => {} };
    const listed = await clawport(place, "servers");
    expect(listed.out).toMatch(/notes[\s\S]*Running \(PID/);
    const second = await clawport(place, "up", "--port", "0");
    expect(second.err).toContain("OpenClaw's gateway");
    expect(second.exit).not.toBe(0);
  });

  test("openclaw mcp-server serves order_openclaw", async () => {
    const child = spawn(process.execPath, [bench.program, "mcp-server"], { env: bench.env, stdio: "pipe" });
    const message = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    child.stdin.write(`${JSON.stringify(message)}\n`);
    let out = "";
    for await (const piece of child.stdout) {
      out += String(piece);
      if (out.includes("\n")) break;
    }
    child.kill();
    expect(out).toContain("order_openclaw");
  });
});

describe("with Tool Search", () => {
  test("an image still reaches the model as an image, and a call says who asked", async () => {
    await editConfig(configPath(), (config) => void (config["tools"] = {}));
    await reloaded("tools.toolSearch");
    await expect.poll(() => lookAt(), patiently).toContain("tool_call");
    await chat.say('call:tool_call {"id":"notes__picture","args":{}}');
    const asked = JSON.stringify(bench.model.requests.at(-1));
    expect(asked).toContain("image_url");
  });
});

describe("disabled", () => {
  test("there is no tool, no process and no entry left", async () => {
    const [pid = ""] = pidsOf(await command("/mcp status notes"));
    await editConfig(configPath(), (config) => {
      config["tools"] = { toolSearch: false };
      config["plugins"].entries["mcp-client"].enabled = false;
    });
    await expect.poll(async () => Object.keys((await readConfig()).mcp?.servers ?? {}), patiently).toEqual([]);
    await expect.poll(() => existsSync(`/proc/${pid}`), patiently).toBe(false);
    expect((await lookAt()).filter((name) => /^(notes|web|one|two|more)__|^mcp_manage$/.test(name))).toEqual([]);
    expect((await readConfig()).agents.entries.work.tools).toBeUndefined();
    expect(existsSync(join(bench.env["OPENCLAW_STATE_DIR"] ?? "", "mcp", "hub.json"))).toBe(false);
  });
});
