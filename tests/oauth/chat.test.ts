import { once } from "node:events";
import { get } from "node:http";
import { expect, test, vi } from "vitest";
import type { Caller } from "../../src/catalog/caller.ts";
import { createConfigEditor } from "../../src/hub/control/settings/config-editor.ts";
import { createMcpCommand } from "../../src/hub/presentation/mcp-command.ts";
import type { Answer, Question } from "../../src/mcp/messages/interim-messages.ts";
import { quietOptions } from "../../src/sources/agent/reply-backend.contract.ts";
import { openHome } from "../../src/core/files/home.ts";
import { silentLog } from "../../src/core/log.ts";
import { startHub } from "../support/cli/run-clawport.ts";
import { runHere } from "../support/cli/test-home.ts";
import { controlAt } from "../support/hub-socket.ts";
import { startGuard } from "../support/start-guard.ts";
import { until } from "../support/until.ts";
import { createVisitor } from "../support/oauth/consent.ts";
import { type OAuthPlace, openOAuthPlace } from "./open-oauth-place.ts";

// Hubs are processes of their own, and the machine may be busy.
vi.setConfig({ testTimeout: 60_000 });

const person: Caller = { door: "cli" };
const phone: Caller = { door: "mcp-http", token: "phone", isLocal: true };

/** `/mcp …` in orders to a hub that has no servers yet. */
async function openChat(bench: OAuthPlace) {
  await bench.place.configure({});
  const hub = await startHub(bench.place, "--port", "0");
  const control = await controlAt(bench.place.home);
  const parts = await startGuard();
  const quiet = { ask: () => Promise.resolve(undefined), showWhile: <T>(_: string, work: Promise<T>) => work };
  const home = await openHome(bench.place.home, { log: silentLog });
  const host = { env: bench.place.env, homedir: bench.place.folder, log: silentLog, globals: {}, ...quiet };
  const command = createMcpCommand({
    control: () => Promise.resolve(control),
    settled: () => Promise.resolve(),
    guard: parts.guard,
    openEditor: async (signal) => createConfigEditor({ ...host, stopSignal: () => signal }, home, false),
  });
  return {
    async say(words: string, ask?: (question: Question) => Promise<Answer>, caller = person): Promise<string> {
      const order = quietOptions({ caller, ...(ask ? { ask, canAsk: true } : { canAsk: false }) });
      return (await command(words, order)).text ?? "";
    },
    async [Symbol.asyncDispose]() {
      control.close();
      await parts[Symbol.asyncDispose]();
      await hub[Symbol.asyncDispose]();
    },
  };
}

/** Follows the address and agrees there; the browser then returns to the hub. */
async function agreeAt(address: unknown): Promise<void> {
  await once(get(await createVisitor().consent(String(address))), "response");
}

const addressIn = (text: string): string => /\n(http\S+)\n/.exec(text)?.[1] ?? "";

test("an order that adds a server goes on to its sign-in, and the next answer begins with how that ended", async () => {
  await using bench = await openOAuthPlace();
  await using chat = await openChat(bench);
  const text = await chat.say(`connect ${bench.server.url} --name one`);
  expect(text).toMatch(
    /^Added one to .*\none requires a sign-in\.\nOpen this address in a browser and sign in:\n\nhttp/,
  );
  await agreeAt(addressIn(text));
  await until(async () => (await chat.say("auth --list", undefined, person)).startsWith("Signed in to one"));
  // Once.
  const later = await chat.say("servers");
  expect(later).toMatch(/^MCP Servers[\s\S]*Status: Connected \| Auth: OAuth.* \| Tools: 2/);
});

test("a configured server that needs a sign-in gets it by connecting, and only who may sign in is told the end", async () => {
  await using bench = await openOAuthPlace();
  await using chat = await openChat(bench);
  await chat.say(`connect ${bench.server.url} --name one`);
  const text = await chat.say("connect one");
  expect(text).toMatch(/^one requires a sign-in\.\nOpen this address/);
  const left = await createVisitor().refuse(addressIn(text));
  await once(get(left), "response");
  await expect.poll(() => chat.say("servers")).toMatch(/^Not signed in to one: [\s\S]*MCP Servers/);
  expect(await chat.say("servers", undefined, phone)).toMatch(/^MCP Servers/);
});

test("a client that can open addresses is sent there, and one answer has it all", async () => {
  await using bench = await openOAuthPlace();
  await using chat = await openChat(bench);
  const asked: Question[] = [];
  const text = await chat.say(`connect ${bench.server.url} --name one`, async (question) => {
    asked.push(question);
    await agreeAt(question.params?.url);
    return { action: "accept" };
  });
  expect(asked).toMatchObject([
    { method: "elicitation/create", params: { mode: "url", message: "Sign in to one in a browser." } },
  ]);
  expect(text).toMatch(/^Added one to [\s\S]*Signed in to one[\s\S]*2 tools/);
});

test("a user who declines to go there is not signed in, and nothing waits", async () => {
  await using bench = await openOAuthPlace();
  await using chat = await openChat(bench);
  const declined = chat.say(`connect ${bench.server.url} --name one`, () => Promise.resolve({ action: "decline" }));
  await expect(declined).rejects.toThrow("You declined to sign in to one. Run `/mcp auth one`");
  expect(await chat.say("auth --list")).not.toContain("Signed in");
});

test("orders to a hub are told, one after the other", async () => {
  await using bench = await openOAuthPlace();
  await bench.place.configure({});
  await using _hub = await startHub(bench.place, "--port", "0");
  const order = async (message: string): Promise<string> => {
    const { out, err } = await runHere(bench.place, ["agent", message]);
    return out + err;
  };
  const text = await order(`/mcp connect ${bench.server.url} --name one`);
  expect(text).toContain("one requires a sign-in.");
  await agreeAt(addressIn(text));
  await expect.poll(() => order("/mcp servers"), { timeout: 30_000 }).toMatch(/Signed in to one[\s\S]*MCP Servers/);
});
