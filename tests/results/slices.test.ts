import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isWindows, makePlace, type Place, type RunningHub, startHub } from "../support/cli/run-clawport.ts";
import { until } from "../support/until.ts";
import type { Work } from "./longest-turn.ts";

const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** A result of the server itself, as it wrote it. */
const resultIn = (answer: string): string => answer.slice(answer.indexOf('"result":') + 9, answer.lastIndexOf("}"));

const bytes = 50_000_000;
const shapes = ["text", "unicode", "texts", "values", "rows", "deep"];

/** The server over HTTP, which answers with JSON or with events. */
async function startServer(mode: "http" | "events") {
  const program = spawn(process.execPath, [path("sized-server.ts"), mode]);
  const [url] = (await once(createInterface({ input: program.stdout }), "line")) as [string];
  return { url, program };
}

let direct: Awaited<ReturnType<typeof startServer>>;
let events: Awaited<ReturnType<typeof startServer>>;

beforeAll(async () => {
  direct = await startServer("http");
  events = await startServer("events");
});

afterAll(() => {
  direct.program.kill();
  events.program.kill();
});

function post(url: string, headers: Record<string, string>, method: string, params: object): Promise<Response> {
  return fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
}

async function makeDirectly(shape: string): Promise<string> {
  const params = { name: "make", arguments: { shape, bytes } };
  return resultIn(await (await post(direct.url, {}, "tools/call", params)).text());
}

describe.skipIf(isWindows).each([
  { server: "stdio", maxTokens: "off" },
  { server: "http", maxTokens: 25_000 },
  { server: "events", maxTokens: "off" },
])("with a server over $server, and `results.maxTokens` $maxTokens", ({ server, maxTokens }) => {
  let place: Place;
  let hub: RunningHub;
  let token: string;
  let workFile: string;

  beforeAll(async () => {
    const made = await makePlace();
    workFile = join(made.folder, "work.json");
    const env = { NODE_OPTIONS: `--import=${path("longest-turn.ts")}`, LONGEST_TURN_FILE: workFile };
    place = { ...made, env: { ...made.env, ...env }, [Symbol.asyncDispose]: () => made[Symbol.asyncDispose]() };
    await mkdir(place.home, { mode: 0o700 });
    const stdio = { command: process.execPath, args: [path("sized-server.ts")] };
    const sized = server === "stdio" ? stdio : { url: server === "http" ? direct.url : events.url };
    await writeFile(join(place.home, "clawport.json5"), JSON.stringify({ servers: { sized }, results: { maxTokens } }));
    hub = await startHub(place, "--port", "0");
    token = (await readFile(hub.ready.tokenPath, "utf8")).trim();
    await until(async () => (await (await ask("tools/list", {})).text()).includes("sized__make"));
  }, 60_000);

  afterAll(async () => {
    await hub[Symbol.asyncDispose]();
    await place[Symbol.asyncDispose]();
  });

  const ask = (method: string, params: object): Promise<Response> =>
    post(hub.ready.url, { authorization: `Bearer ${token}` }, method, params);

  async function workSinceLastTime(): Promise<Work> {
    await rm(workFile, { force: true });
    hub.child.kill("SIGUSR2");
    let text = "";
    await until(async () => (text = await readFile(workFile, "utf8").catch(() => "")) !== "");
    return JSON.parse(text) as Work;
  }

  test.each(server === "events" ? ["unicode"] : shapes)(
    "others are served while 50 MB of %s pass, and nothing of it changes",
    async (shape) => {
      const expected = await makeDirectly(shape);
      await workSinceLastTime();
      const answer = await (await ask("tools/call", { name: "sized__make", arguments: { shape, bytes } })).text();
      const { maxMs, allMs } = await workSinceLastTime();
      const result = resultIn(answer);
      // What is nested too deep to be indented can't be kept.
      const isPassed = maxTokens === "off" || shape === "deep";
      expect(isPassed ? result === expected : result.length < 20_000 && (await kept()) === textIn(expected)).toBe(true);
      expect(maxMs / allMs).toBeLessThan(1 / 3);
    },
    120_000,
  );

  async function kept(): Promise<string> {
    const folder = join(place.home, "kept-results");
    const [name, ...more] = await readdir(folder);
    expect(more).toEqual([]);
    const content = await readFile(join(folder, name!), "utf8");
    await rm(join(folder, name!));
    return content.slice(content.indexOf("\n") + 1);
  }
});

/** What is kept of a result: its only text, its texts under their names, or its structured content. */
function textIn(result: string): string {
  const { content, structuredContent } = JSON.parse(result) as {
    readonly content: readonly { readonly text: string }[];
    readonly structuredContent?: unknown;
  };
  if (structuredContent !== undefined) return exactly(result);
  if (content.length === 1) return content[0]!.text;
  return content.map(({ text }, at) => `--- part ${at + 1} of ${content.length}: text ---\n${text}`).join("\n");
}

/** `JSON.parse` would change the numbers. */
function exactly(result: string): string {
  const { structuredContent } = JSON.parse(result.replaceAll(/([[,])(\d{20,})(?=[\],])/g, '$1"n$2"')) as {
    readonly structuredContent: unknown;
  };
  return JSON.stringify(structuredContent, undefined, 1).replaceAll(/"n(\d+)"/g, "$1");
}
