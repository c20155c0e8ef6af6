import { readFile, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openHome } from "../../src/core/files/home.ts";
import { megabyte } from "../../src/core/text/size-text.ts";
import { makePlace } from "../support/cli/run-clawport.ts";
import { type MockModel, startMockModel } from "../support/mock-model.ts";
import { approveWaiting } from "../support/start-hub.ts";
import { testOffer } from "../support/mcp/test-offer.ts";
import { openWeb } from "../support/mcp/web.ts";
import { serverCommand, startMcpServer, textOf, writeHome } from "../support/start-mcp-server.ts";
import { program } from "../setup/programs.ts";

const sdkServer = resolve(import.meta.dirname, "../../bench/targets/sdk-stdio.ts");

let model: MockModel;

beforeEach(async () => {
  model = await startMockModel();
});
afterEach(() => model[Symbol.asyncDispose]());

function start(policy: object = {}, backend = "auto") {
  const config = {
    servers: { sdk: { command: process.execPath, args: [sdkServer] } },
    agent: { backend, model: { name: "mock-1", url: model.baseUrl, maxSteps: 4 } },
    policy,
  };
  return startMcpServer({ config });
}

test("the model uses a tool of a real MCP server through the guard, and answers", async () => {
  await using server = await start();
  const result = await server.order({ message: 'call:sdk__echo {"data":"from the real server"}' });
  expect(textOf(result)).toBe("GOT=from the real server");
  expect(result._meta).toMatchObject({ "clawport/tools": ["sdk__echo"], "clawport/tokens": { input: 20, output: 10 } });
  await server.client.close();
  const audit = await readFile(join(server.home, "audit", "calls.jsonl"), "utf8");
  expect(audit).toMatch(/"tool":"sdk__echo"/);
});

test("the model gets the guard's denial", async () => {
  await using server = await start({ rules: [{ tool: "sdk__*", verdict: "deny" }] });
  const result = await server.order({ message: 'call:sdk__echo {"data":"x"}' });
  expect(textOf(result)).toMatch(/^GOT=Error: .*sdk__echo/);
});

test("a looping model is stopped at the limit", async () => {
  await using server = await start();
  const result = await server.order({ message: 'forever call:sdk__echo {"data":"x"}' });
  expect(textOf(result)).toMatch(/^Error: The model was stopped before it had an answer: 4 steps/);
  expect(model.requests).toHaveLength(4);
});

test("agents that pass orders on to each other are stopped at the depth limit", async () => {
  await using place = await makePlace();
  const homes = ["a", "b", "c", "d", "e"].map((name) => join(place.folder, name));
  const configOf = (next: string) => ({
    servers: { next: { ...serverCommand("--home", next), env: { OPENCLAW_GATEWAY_PORT: "1" } } },
    agent: { model: { name: "mock-1", url: model.baseUrl, maxSteps: 4 } },
  });
  for (const [index, next] of homes.slice(1).entries()) await writeHome(homes[index]!, configOf(next));
  await using server = await startMcpServer({ home: homes[0]! });
  const handOn = (message: string): string => `call:next__order_openclaw ${JSON.stringify({ message })}`;
  const result = await server.order({ message: handOn(handOn(handOn("deeper"))) });
  expect(textOf(result)).toMatch(/nested too deep: 3 agents have passed orders on/);
}, 60_000);

test("with the commands backend, servers and tools can be used without a model", async () => {
  await using server = await start({}, "commands");
  expect(textOf(await server.order({ message: "/tools echo" }))).toBe("sdk__echo(data): Returns data.");
  expect(textOf(await server.order({ message: '/call sdk__echo {"data":"typed"}' }))).toBe("typed");
  expect(textOf(await server.order({ message: "/mcp servers" }))).toMatch(/1 configured[\s\S]*sdk/);
  expect(textOf(await server.order({ message: "/mcp nonsense" }))).toMatch(
    /^Error: There is no command "\/mcp nonsense"/,
  );
  expect(model.requests).toHaveLength(0);
});

test("commands are answered without the model, and the first list waits for servers", async () => {
  await using server = await start();
  expect(textOf(await server.order({ message: "/mcp tools" }))).toContain("sdk__echo");
  expect(textOf(await server.order({ message: "/mcp servers" }))).toMatch(/Running.*Tools: [1-9]/);
  expect(textOf(await server.order({ message: "/help" }))).toMatch(/^The model gets every message except/);
  expect(textOf(await server.order({ message: "/tools echo" }))).toBe("sdk__echo(data): Returns data.");
  expect(textOf(await server.order({ message: '/call sdk__echo {"data":"typed"}' }))).toBe("typed");
  expect(model.requests).toHaveLength(0);
});

test("a model that is named wrongly leaves the commands usable", async () => {
  await using server = await startMcpServer({ env: { CLAWPORT_MODEL: "nonsense" } });
  expect(textOf(await server.order({ message: "/help" }))).toMatch(/^The model gets every message except/);
  expect(textOf(await server.order({ message: "/mcp servers" }))).toContain("configured");
  expect(textOf(await server.order({ message: "hello" }))).toMatch(/^Error: .*nonsense/);
});

test("a server can be added by its address in an order that a person has approved", async () => {
  await using web = await openWeb(testOffer());
  await using server = await startMcpServer();
  const message = `/mcp connect http://127.0.0.1:${web.port}/mcp --name web`;
  expect(textOf(await server.order({ message }))).toMatch(
    /^Error: mcp_connect needs approval, but no one is available/,
  );
  await approveWaiting(await openHome(server.home));
  const added = textOf(await server.order({ message }));
  expect(added).toMatch(/^Added web to .*clawport\.json5\.\nweb\n[\s\S]*web__echo/);
  expect(textOf(await server.order({ message: '/call web__echo {"text":"hi"}' }))).toBe("hi");
  expect(await readFile(join(server.home, "clawport.json5"), "utf8")).toContain(`http://127.0.0.1:${web.port}/mcp`);
});

test("a model can be named by environment variables", async () => {
  await using server = await startMcpServer({ env: { CLAWPORT_MODEL: "mock-1", CLAWPORT_MODEL_URL: model.baseUrl } });
  expect(textOf(await server.order({ message: "hello", sessionKey: "k" }))).toBe("ECHO:hello");
  expect(textOf(await server.order({ message: "recall", sessionKey: "k" }))).toBe("EARLIER=hello");
});

test("audio is transcribed by the configured command before the model gets it", async () => {
  const code = `process.stdout.write("heard: " + require("fs").readFileSync(process.argv[1], "utf8").slice(4))`;
  const config = {
    agent: {
      model: { name: "mock-1", url: model.baseUrl },
      transcription: { command: [process.execPath, "-e", code, "{file}"] },
    },
  };
  await using server = await startMcpServer({ config });
  const data = Buffer.from("ID3\u0003 buy milk").toString("base64");
  const result = await server.order({
    message: "note",
    files: [{ data, mimeType: "audio/mpeg", filename: "memo.mp3" }],
  });
  expect(result.isError).toBe(false);
  const asked = JSON.stringify(model.requests[0]?.messages);
  expect(asked).toContain("[memo.mp3.transcript.txt, text/plain]\\nheard:  buy milk");
  expect(asked).not.toContain(data);
});

test("text and media of an answer come in the order they were produced", async () => {
  await using server = await startMcpServer({ config: mediaConfig() });
  const message = 'say Before the picture. then call:media__picture {"bytes":1000}';
  const { content } = await server.order({ message });
  expect(content.map((block) => (block.type === "text" ? block.text.split(/[=\n]/)[0] : block.type))).toEqual([
    "Before the picture.",
    "image",
    "GOT",
  ]);
});

test("a result that is larger than a message may be is reported in the answer", async () => {
  await using server = await startMcpServer({ config: mediaConfig({ maxMessageBytes: 100_000 }) });
  const { content } = await server.order({ message: 'call:media__picture {"bytes":90000}' });
  const note = "[The result of media__picture is missing: Outcome unknown: the call may or may not have run.";
  expect(content).toMatchObject([{ type: "text", text: expect.stringContaining(note) }]);
  expect(JSON.stringify(content)).toContain("larger than the limit of 100000 bytes");
});

function mediaConfig(more: object = {}) {
  const media = { command: process.execPath, args: [program("tests/agent/media-server.ts")], ...more };
  return { servers: { media }, agent: { model: { name: "mock-1", url: model.baseUrl } } };
}

test("media too large for an answer are saved, and a text says what and where", async () => {
  await using server = await startMcpServer({ config: mediaConfig() });
  const { content } = await server.order({
    message: `call:media__picture ${JSON.stringify({ bytes: 20 * megabyte + 1 })}`,
  });
  expect(content.map(({ type }) => type)).toEqual(["text"]);
  const [, path = ""] =
    /^\["image.png" \(image\/png, 20.00 MB \(20971521 bytes\)\) was left out: an item of an answer may have at most 20 MB. Saved to (\S+)\]/.exec(
      content[0]?.type === "text" ? content[0].text : "",
    ) ?? [];
  expect((await stat(path)).size).toBe(20 * megabyte + 1);
  const whole = await server.order({ message: `call:media__picture {"bytes":1000}` });
  expect(whole.content.map(({ type }) => type)).toEqual(["image", "text"]);
}, 60_000);

test("an answer can be kept below what the official client accepts over stdio", async () => {
  const { servers, agent } = mediaConfig();
  await using server = await startMcpServer({ config: { servers, agent: { ...agent, maxAnswerBytes: 7_000_000 } } });
  const order = (bytes: number) => server.order({ message: `call:media__picture ${JSON.stringify({ bytes })}` });
  const saved = await order(9_000_000);
  const text = expect.stringMatching(/was left out: an answer may have at most .* Saved to \S+image/) as string;
  expect(saved.content).toMatchObject([{ type: "text", text }]);
  const whole = await order(6_900_000);
  expect(whole.content.map(({ type }) => type)).toEqual(["image", "text"]);
}, 60_000);
