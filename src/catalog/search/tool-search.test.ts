import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdtemp, readFile, rm, truncate } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { testSource, testTool } from "../../../tests/support/test-source.ts";
import { until } from "../../../tests/support/until.ts";
import { createCatalog } from "../catalog.ts";
import { silentLog } from "../../core/log.ts";
import { type EmbeddingModel, embedTexts } from "./embed-texts.ts";
import { createToolSearch } from "./tool-search.ts";
import { createToolVectors } from "./tool-vectors.ts";
import { openVectorFile } from "./vector-file.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "search-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test("tools that come, change and go are found as they are", async () => {
  const { source, found } = openSearch([testTool("zigfoo", { description: "Sends frobs." })]);
  expect(await found("zigfoo")).toEqual(["git__zigfoo"]);
  source.offer([testTool("barzag", { description: "Fetches frobs." })]);
  expect(await found("zigfoo")).toEqual([]);
  expect(await found("barzag")).toEqual(["git__barzag"]);
  source.offer([testTool("barzag", { description: "Orders a pizza." })]);
  expect(await found("pizza")).toEqual(["git__barzag"]);
  expect(await found("frobs")).toEqual([]);
});

test("searches during an update wait for it, and only tools that are accepted are found", async () => {
  const many = Array.from({ length: 3000 }, (_, index) => testTool(`tool${index}`, { description: "Sends commits." }));
  const { search } = openSearch(many);
  const accepts = (name: string) => name.endsWith("99");
  const answers = await Promise.all([1, 2, 3].map(() => search.search(["send commits"], 100, accepts)));
  for (const { tools, isSure } of answers) {
    expect(tools).toHaveLength(30);
    expect(isSure).toBe(true);
  }
});

test("what fits only in part is a guess", async () => {
  const { search } = openSearch([testTool("push", { description: "Sends commits." })]);
  expect((await search.search(["bake bread with push"], 5)).isSure).toBe(false);
  expect((await search.search(["xylophone"], 5)).isSure).toBe(false);
  expect((await search.search(["push commits"], 5)).isSure).toBe(true);
});

test("an embedding model finds what no word does, and its vectors are kept on disk", async () => {
  await using model = await startModel();
  const path = join(folder, "embeddings", "model.bin");
  const open = () => createToolVectors({ model: { ...model, apiKey: "k1" }, path, log: silentLog });
  const { found } = openSearch(zoo, open());
  await found("purrs");
  await until(async () => (await readFile(path).catch(() => "")).length > 0);
  expect((await found("purrs"))[0]).toBe("git__feline");
  expect(model.requests.every(({ authorization }) => authorization === "Bearer k1")).toBe(true);

  // The next process asks for queries only.
  const before = model.requests.length;
  expect((await openSearch(zoo, open()).found("purrs"))[0]).toBe("git__feline");
  expect(model.requests.slice(before).map(({ input }) => input)).toEqual([["purrs"]]);
});

test.each([
  ["is not there", () => Promise.resolve<Model>({ url: "http://127.0.0.1:9/v1", model: "m" })],
  ["fails", () => startModel(() => [500, "{}"])],
  ["answers nonsense", () => startModel(() => [200, '{"data":[{"embedding":"x"}]}'])],
  [
    "answers with vectors of numbers that are none",
    () => startModel(() => [200, '{"data":[{"embedding":[null,{}]}]}']),
  ],
  ["answers too few", () => startModel(() => [200, '{"data":[]}'])],
  ["never answers", () => startModel(() => undefined)],
])("without a model that works (%s) the words decide", async (_, start) => {
  const model: Model = await start();
  const vectors = createToolVectors({ model, path: join(folder, "v.bin"), log: silentLog, patienceMs: 50 });
  const { found } = openSearch(zoo, vectors);
  expect(await found("bark")).toEqual(["git__canine"]);
  await model[Symbol.asyncDispose]?.();
});

test("a key that the model refuses and repeats is not in the error", async () => {
  await using model = await startModel(() => [401, '{"error":"no such key: plain-word-key"}']);
  const asked = embedTexts({ ...model, apiKey: "plain-word-key" }, ["x"], AbortSignal.timeout(5000));
  const error = await asked.catch((reason: unknown) => reason as Error);
  expect(String(error)).toContain("no such key");
  expect(JSON.stringify([String(error), String((error as Error).cause)])).not.toContain("plain-word-key");
});

test("a file of vectors that was cut off keeps what is whole", async () => {
  const path = join(folder, "v.bin");
  const [one, two] = ["a", "b"].map((letter) => letter.repeat(64));
  const file = openVectorFile(path);
  file.add(new Map([[one!, Float32Array.of(1, 2)]]));
  file.add(new Map([[two!, Float32Array.of(3, 4)]]));
  await truncate(path, (await readFile(path)).length - 1);
  const again = openVectorFile(path);
  expect([again.get(one!), again.get(two!)]).toEqual([Float32Array.of(1, 2), undefined]);
  await again.keep(new Set());
  expect(openVectorFile(path).size).toBe(0);
});

const zoo = [
  testTool("feline", { description: "Meows." }),
  testTool("canine", { description: "Dogs bark." }),
  testTool("avian", { description: "Tweets." }),
];

function openSearch(tools: readonly ReturnType<typeof testTool>[], vectors?: ReturnType<typeof createToolVectors>) {
  const source = testSource({ id: "git", prefix: "git", tools });
  const catalog = createCatalog();
  catalog.add(source);
  const search = createToolSearch({ tools: () => catalog.tools(), vectors });
  const found = async (query: string) => (await search.search([query], 5)).tools.map(({ name }) => name);
  return { source, search, found };
}

type Model = EmbeddingModel & Partial<AsyncDisposable>;
type Answer = readonly [status: number, body: string] | undefined;

/** An OpenAI-compatible address whose model knows cats, dogs and birds. */
async function startModel(answer?: () => Answer) {
  const requests: { input: string[]; authorization: string | undefined }[] = [];
  const server = createServer((request, response) => void serve(request, response));
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { input, model } = JSON.parse(Buffer.concat(chunks).toString()) as { input: string[]; model: string };
    requests.push({ input, authorization: request.headers.authorization });
    const usual = (): Answer => {
      if (request.url !== "/v1/embeddings" || model !== "animals") return [404, "{}"];
      return [200, JSON.stringify({ data: input.map((text, index) => ({ index, embedding: meaningOf(text) })) })];
    };
    const given = (answer ?? usual)();
    if (given) response.writeHead(given[0], { "content-type": "application/json" }).end(given[1]);
  };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1/`,
    model: "animals",
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function meaningOf(text: string): number[] {
  return [/cat|feline|purr|meow/i, /dog|canine|bark/i, /bird|avian|tweet/i].map((about) =>
    about.test(text) ? 1 : 0.1,
  );
}
