import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { mainFile, type RunningHub, startHub } from "../support/cli/run-clawport.ts";
import { runProgram } from "../support/cli/run-shell.ts";
import { type ConfiguredPlace, placeWith, runHere } from "../support/cli/test-home.ts";
import { program } from "../setup/programs.ts";

vi.setConfig({ testTimeout: 60_000 });

const fixture = program("tests/servers/fixtures/exact-echo.ts");
const numbers = '"id":1234567890123456789,"e":1E400,"tiny":-1e-999,"zero":-0,"pi":3.14159265358979323846';
const args = `{${numbers},"list":[9007199254740993,{"deep":123456789.123456789}]}`;
const meta = '"test/n":18446744073709551615';
const requestId = "9007199254740993";
const schema = '"minimum":-0,"maximum":9223372036854775807},"e":{"type":"number","maximum":1E400}';
const names = ["legacy-stdio", "legacy-http", "modern-stdio", "modern-http"] as const;
const modernMeta =
  '"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}';

let place: ConfiguredPlace;
const ended: AsyncDisposable[] = [];

beforeAll(async () => {
  const servers: Record<string, object> = {};
  for (const name of names) {
    const [era, transport] = name.split("-") as [string, string];
    const program = [fixture, era, transport];
    servers[name] =
      transport === "stdio" ? { command: process.execPath, args: program } : { url: await startServer(program) };
  }
  place = await placeWith(servers);
  ended.push(place);
}, 60_000);
afterAll(async () => {
  for (const each of ended.toReversed()) await each[Symbol.asyncDispose]();
});

async function startServer(program: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, [...program], { stdio: ["ignore", "pipe", "inherit"] });
  ended.push({
    async [Symbol.asyncDispose]() {
      child.kill();
      await once(child, "exit");
    },
  });
  const [port] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  return `http://127.0.0.1:${port}/mcp`;
}

function request(method: string, params: string, isModern: boolean): string {
  const envelope = isModern ? `,${modernMeta}` : "";
  return `{"jsonrpc":"2.0","id":${requestId},"method":"${method}","params":{${params}"_meta":{${meta}${envelope}}}}`;
}

const callOf = (name: string, isModern: boolean): string =>
  request("tools/call", `"name":"${name}__echo","arguments":${args},`, isModern);

/** What an answer must have, to the letter. */
const exact = [`"id":${requestId}`, `"structuredContent":{"got":${args}}`, JSON.stringify(args), meta];
const missingIn = (answer: string): readonly string[] => exact.filter((part) => !answer.includes(part));

describe("through a hub", () => {
  let hub: RunningHub;
  let token: string;
  beforeAll(async () => {
    hub = await startHub(place, "--port", "0");
    token = (await readFile(hub.ready.tokenPath, "utf8")).trim();
  }, 60_000);
  afterAll(() => hub[Symbol.asyncDispose]());

  const post = async (body: string, headers: Record<string, string>): Promise<string> => {
    const response = await fetch(hub.ready.url, {
      method: "POST",
      body,
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        authorization: `Bearer ${token}`,
        ...headers,
      },
    });
    return response.text();
  };
  const modernHeaders = (method: string, name?: string) => ({
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": method,
    ...(name !== undefined && { "mcp-name": name }),
  });

  test.each(names)("a client of either era gets every number of %s as it was sent", async (name) => {
    expect(missingIn(await post(callOf(name, false), {}))).toEqual([]);
    expect(missingIn(await post(callOf(name, true), modernHeaders("tools/call", `${name}__echo`)))).toEqual([]);
  });

  test("schemas are listed as they are", async () => {
    const lists = [
      await post(request("tools/list", "", false), {}),
      await post(request("tools/list", "", true), modernHeaders("tools/list")),
    ];
    for (const list of lists) {
      expect(list).toContain(`"id":${requestId}`);
      expect(list.split(schema)).toHaveLength(names.length + 1);
    }
  });

  test("serve --stdio, which relays to it, changes none", async () => {
    const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`;
    const input = `${initialize}\n${names.map((name) => callOf(name, false)).join("\n")}\n`;
    const { out } = await runProgram(process.execPath, [mainFile, "serve", "--stdio"], {
      env: place.env,
      cwd: place.folder,
      input,
    });
    const answers = out.split("\n").filter((line) => line.includes("structuredContent"));
    expect(answers).toHaveLength(names.length);
    expect(answers.flatMap(missingIn)).toEqual([]);
  });

  test("neither does `clawport call`", expectExactCalls);

  test("a tool of Clawport's own says that it can't compute with one", async () => {
    const params = '"name":"read_result","arguments":{"id":"x","fromLine":12345678901234567890},';
    const answer = await post(request("tools/call", params, false), {});
    expect(answer).toContain("The number 12345678901234567890 has more digits than can be computed with.");
  });
});

test("`clawport call` without a hub changes no number", expectExactCalls);

async function expectExactCalls(): Promise<void> {
  for (const name of names) {
    const { exit, out } = await runHere(place, ["call", `${name}__echo`, args, "--json"]);
    expect({ exit, out }).toMatchObject({
      exit: 0,
      out: expect.stringContaining(`"structuredContent":{"got":${args}}`),
    });
  }
  const typed = await runHere(place, ["call", `${names[0]}__echo`, "id=1234567890123456789", "e=1e400", "--json"]);
  expect(typed.out).toContain('"got":{"id":1234567890123456789,"e":1e400}');
}
