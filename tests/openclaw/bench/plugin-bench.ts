import { randomUUID } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { type AuthorizationServer, startAuthorizationServer } from "../../support/oauth/authorization-server.ts";
import { type ProtectedServer, startProtectedServer } from "../../support/oauth/protected-server.ts";
import { type GatewayChat, openChat } from "./gateway-chat.ts";
import { openBench, type OpenClawBench } from "./open-bench.ts";
import { installPlugin, packPlugin } from "./pack-plugin.ts";
import { startWebServer } from "./web-server.ts";

const fixture = join(import.meta.dirname, "..", "fixtures", "notes-server.ts");

/** A gateway with the packed plugin, and the servers that its agents use. All tests of a suite share it. */
export let bench: OpenClawBench;
export let chat: GatewayChat;
export let web: Awaited<ReturnType<typeof startWebServer>>;
export let authority: AuthorizationServer;
export let secured: ProtectedServer;

/** Packing, installing and starting take most of a minute, and several on a busy machine. */
export const setUpMs = 600_000;

export async function openPluginBench(): Promise<void> {
  let tarball = "";
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
      await editJson(env["OPENCLAW_CONFIG_PATH"] ?? "", (config) => {
        config["plugins"].entries["mcp-client"] = {
          enabled: true,
          hooks: { allowConversationAccess: true },
          config: {
            servers: {
              notes: notesIn(env),
              web: { url: web.url },
              one: { url: secured.url },
              mail: { ...notesIn(env, "mail.log"), identity: true },
            },
            agents: { work: { servers: ["web"] } },
            policy: { rules: [{ source: "mail", owner: false, verdict: "deny" }] },
          },
        };
      });
    },
  });
  chat = await openChat(bench.url, bench.token);
}

export async function closePluginBench(): Promise<void> {
  await chat?.[Symbol.asyncDispose]();
  await bench?.[Symbol.asyncDispose]();
  await secured?.[Symbol.asyncDispose]();
  await authority?.[Symbol.asyncDispose]();
  await web?.[Symbol.asyncDispose]();
}

function notesIn(env: Readonly<Record<string, string>>, log = "notes.log"): object {
  const { HOME: home = "" } = env;
  return {
    command: process.execPath,
    args: [fixture],
    env: { NOTES_LOG: join(home, log), NOTES_LATER: join(home, "later") },
  };
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a configuration of another program
export type Json = Record<string, any>;

async function editJson(path: string, edit: (config: Json) => void): Promise<void> {
  const config = JSON.parse(await readFile(path, "utf8")) as Json;
  edit(config);
  await writeFile(path, JSON.stringify(config, undefined, 2));
}

export const configPath = (): string => bench.env["OPENCLAW_CONFIG_PATH"] ?? "";
export const editConfig = (edit: (config: Json) => void): Promise<void> => editJson(configPath(), edit);
/** The plugin's own part of it. */
export const editOwn = (edit: (own: Json) => void): Promise<void> =>
  editConfig((config) => edit(config["plugins"].entries["mcp-client"].config));
export const readConfig = async (): Promise<Json> => JSON.parse(await readFile(configPath(), "utf8")) as Json;
export const mcpHome = (): string => join(bench.env["OPENCLAW_STATE_DIR"] ?? "", "mcp");
export const readAudit = (): Promise<string> => readFile(join(mcpHome(), "audit", "calls.jsonl"), "utf8");
export const notesLog = async (log = "notes.log"): Promise<readonly string[]> =>
  (await readFile(join(bench.folder, log), "utf8").catch(() => "")).split("\n").filter((line) => line !== "");
export const offered = (): readonly string[] =>
  (bench.model.requests.at(-1)?.tools ?? []).map((tool) => tool.function.name);
export const patiently = { timeout: 90_000, interval: 500 };

/** What the model is offered in a new chat. OpenClaw gives up runs that a change of its configuration overtakes. */
export async function lookAt(agent = "main"): Promise<readonly string[]> {
  await chat.say("hello", `agent:${agent}:${randomUUID()}`).catch(() => undefined);
  return offered();
}

/** Resolves when OpenClaw has taken up a change of this part of its configuration. A run in the meantime would fail. */
export async function reloaded(part: string): Promise<void> {
  const applied = new RegExp(`config hot reload applied \\([^)]*${part.replaceAll(".", "\\.")}`);
  await expect.poll(() => readFile(join(bench.folder, "gateway.log"), "utf8"), patiently).toMatch(applied);
}

/** A command right after a change of the configuration: OpenClaw may refuse it until it has taken up the change. */
export async function command(text: string): Promise<string> {
  let answer = "";
  await expect.poll(async () => (answer = await chat.say(text)), patiently).not.toBe("");
  return answer;
}

export const pidsOf = (status: string): readonly string[] =>
  [...status.matchAll(/PID (\d+)/g)].map(([, pid = ""]) => pid);
