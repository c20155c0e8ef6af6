import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { until } from "../support/until.ts";
import type { EraClient } from "./fixtures/era-client.ts";
import {
  getsTheError,
  givesUp,
  hubAsksFirst,
  learnsOnce,
  noComplete,
  serverAsksFirst,
} from "./fixtures/era-exceptions.ts";
import {
  type Era,
  type EraHub,
  expectSameConnection,
  type Feature,
  jsonOf,
  type Pair,
  refusing,
  startEraHub,
  textOf,
  unknownMeta,
} from "./fixtures/era-pair.ts";
import { form, note, pixel, template } from "./fixtures/era-server.ts";

/**
 * Every feature of MCP through a running hub, with the official SDK of each era at both ends. What a pair of eras can't do
 * is part of the table: why, and what happens instead.
 */
const features: readonly Feature[] = [
  {
    title: "tools are listed as the server defines them",
    async run({ client }) {
      const { tools } = await client.request("tools/list");
      expect(tools).toContainEqual({
        name: "add",
        inputSchema: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } } },
        outputSchema: { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] },
        _meta: { "example.com/tool": true },
      });
    },
  },
  {
    title: "a tool returns structured content, and the result keeps its _meta",
    async run({ call, to }) {
      expect(await call("add", { a: 1, b: 2 })).toMatchObject({
        structuredContent: { sum: 3 },
        _meta: { "example.com/result": to },
      });
    },
  },
  {
    title: "a tool returns an image",
    async run({ call }) {
      expect((await call("picture")).content).toEqual([{ type: "image", data: pixel, mimeType: "image/png" }]);
    },
  },
  {
    title: "progress reaches the client",
    async run({ call }) {
      const steps: number[] = [];
      await call("steps", {}, { onProgress: (step) => steps.push(step) });
      expect(steps).toEqual([1, 2, 3]);
    },
  },
  {
    title: "a cancelled call is cancelled at the server",
    async run({ call, journal }) {
      const stop = new AbortController();
      const ended = call("hang", {}, { signal: stop.signal }).then(() => "an answer", String);
      await until(() => journal().includes("hanging"));
      stop.abort(new Error("enough"));
      expect(await ended).toContain("enough");
      await until(() => journal().includes("cancelled"));
    },
  },
  {
    title: "log lines of a call reach the client from the level that it requests",
    async run({ client, call }) {
      await client.setLogLevel("error");
      await call("log");
      expect(client.heard).toEqual(["message error a line of error"]);
      client.heard.length = 0;
      await client.setLogLevel("info");
      await call("log");
      expect(client.heard).toEqual(["message info a line of info", "message error a line of error"]);
    },
  },
  {
    title: "resources and templates are listed and read",
    async run({ client }) {
      expect((await client.request("resources/list")).resources).toContainEqual({
        uri: note,
        name: "note",
        mimeType: "text/plain",
      });
      expect((await client.request("resources/templates/list")).resourceTemplates).toEqual([
        { uriTemplate: template, name: "item" },
      ]);
      expect(await client.request("resources/read", { uri: note })).toMatchObject({
        contents: [{ uri: note, text: "remember" }],
        _meta: { "example.com/read": 1 },
      });
      expect(await client.request("resources/read", { uri: "test://item/7" })).toMatchObject({
        contents: [{ text: "item 7" }],
      });
    },
  },
  {
    title: "a subscribed resource is reported when it changes",
    async run({ client, server }) {
      const stop = await client.subscribe(note);
      server.update(note);
      await until(() => client.heard.includes(`resources/updated ${note}`));
      await stop();
    },
  },
  {
    title: "prompts are listed and got",
    async run({ client }) {
      expect((await client.request("prompts/list")).prompts).toContainEqual({
        name: "greet",
        arguments: [{ name: "who", required: true }],
      });
      expect(await client.request("prompts/get", { name: "greet", arguments: { who: "Ada" } })).toMatchObject({
        messages: [{ role: "user", content: { type: "text", text: "Hello Ada" } }],
        _meta: { "example.com/prompt": 1 },
      });
    },
  },
  {
    title: "arguments are completed",
    async run(pair) {
      const params = { ref: { type: "ref/prompt", name: "greet" }, argument: { name: "who", value: "A" } };
      const result = await pair.client.request("completion/complete", params);
      expect(result).toMatchObject({
        completion: { values: ["A!"], total: 1, hasMore: false },
        _meta: { "example.com/completion": 1 },
      });
      await expectSameConnection(pair);
    },
  },
  {
    title: "a form is accepted",
    async run({ client, call, journal }) {
      let shown: unknown;
      client.answers = { elicit: (params) => ((shown = params), { action: "accept", content: { sure: true } }) };
      expect(jsonOf(await call("pay"))).toEqual({ action: "accept", content: { sure: true } });
      expect(shown).toMatchObject(form);
      expect(journal()).toEqual(["charged", 'answered "accept"']);
    },
  },
  {
    title: "a form is declined",
    async run({ client, call, journal }) {
      client.answers = { elicit: () => ({ action: "decline" }) };
      expect(jsonOf(await call("pay"))).toEqual({ action: "decline" });
      expect(journal()).toEqual(["charged", 'answered "decline"']);
    },
  },
  {
    title: "a form that the client answers with an error is cancelled at the server, and nothing runs twice",
    async run(pair) {
      const { client, call, journal } = pair;
      client.answers = { elicit: refusing };
      expect(jsonOf(await call("pay"))).toEqual({ action: "cancel" });
      expect(journal()).toEqual(["charged", 'answered "cancel"']);
      await expectSameConnection(pair);
    },
    except: {
      "2025 → 2025": getsTheError("elicit", "pay"),
      "2026 → 2025": givesUp("elicit", "pay"),
      "2026 → 2026": givesUp("elicit", "pay"),
    },
  },
  {
    title: "a URL to open is asked for as the client's era has it",
    async run({ client, server, call, from, to }) {
      let shown: Record<string, unknown> = {};
      client.answers = { elicit: (params) => ((shown = params), { action: "accept" }) };
      expect(jsonOf(await call("visit"))).toEqual({ action: "accept" });
      expect(shown).toMatchObject({ mode: "url", url: "https://example.com/sign-in", message: "Sign in there" });
      const id = to === "2025" ? server.offer.pageId : expect.stringMatching(/^[\w-]{10,}$/);
      expect(shown.elicitationId).toEqual(from === "2025" ? id : undefined);
    },
  },
  {
    title: "the client that was asked learns that the user has opened the URL, and no other",
    async run({ client, server, call, open }) {
      await using stranger = await open();
      client.answers = { elicit: () => ({ action: "accept" }) };
      await call("visit");
      server.complete(server.offer.pageId);
      await until(() => client.heard.includes(`elicitation/complete ${server.offer.pageId}`));
      server.grow("prompts");
      await until(() => stranger.heard.includes("prompts/list_changed"));
      expect(stranger.heard).toEqual(["prompts/list_changed"]);
    },
    except: {
      "2025 → 2026": noComplete("2026 has no such notification: the call itself waits until the user is done"),
      "2026 → 2025": noComplete("2026 has no such notification, so the hub keeps it to itself"),
      "2026 → 2026": noComplete("2026 has no such notification: the call itself waits until the user is done"),
    },
  },
  {
    title: "a server that needs a URL opened first says so with an error, and the client calls again",
    async run({ client, server, call }) {
      server.offer.signIn(false);
      await expect(call("visit_first")).rejects.toMatchObject({
        code: -32042,
        data: { elicitations: [{ mode: "url", elicitationId: server.offer.pageId }] },
      });
      server.offer.signIn(true);
      server.complete(server.offer.pageId);
      await until(() => client.heard.includes(`elicitation/complete ${server.offer.pageId}`));
      expect(textOf(await call("visit_first"))).toBe("signed in");
    },
    except: {
      "2026 → 2025": hubAsksFirst,
      "2025 → 2026": serverAsksFirst,
      "2026 → 2026": serverAsksFirst,
    },
  },
  {
    title: "a server gets an answer of the client's model",
    async run({ client, call, journal }) {
      const answer = { role: "assistant", content: { type: "text", text: "Hello" }, model: "m" };
      client.answers = { sample: () => answer };
      expect(jsonOf(await call("think"))).toEqual(answer);
      expect(journal()).toEqual(["charged", `answered ${JSON.stringify(answer.content)}`]);
    },
  },
  {
    title: "a refused sampling request ends the call, which does not run twice",
    async run(pair) {
      const { client, call, journal } = pair;
      client.answers = { sample: refusing };
      const result = await call("think");
      expect(result).toMatchObject({ isError: true });
      expect(textOf(result)).toMatch(/User rejected sampling request.*not repeated/);
      expect(journal()).toEqual(["charged"]);
      await expectSameConnection(pair);
    },
    except: {
      "2025 → 2025": getsTheError("sample", "think"),
      "2026 → 2025": givesUp("sample", "think"),
      "2026 → 2026": givesUp("sample", "think"),
    },
  },
  {
    title: "a question that the client does not support is an error that names the capability",
    async run({ open }) {
      await using client = await open({});
      for (const [name, requiredCapabilities] of [
        ["pay", { elicitation: { form: {} } }],
        ["visit", { elicitation: { url: {} } }],
        ["think", { sampling: {} }],
      ] as const)
        await expect(client.request("tools/call", { name })).rejects.toMatchObject({
          code: -32021,
          data: { requiredCapabilities },
        });
    },
    except: { "2025 → 2025": learnsOnce, "2026 → 2025": learnsOnce },
  },
  {
    title: "a server gets the folders of the configuration, never those of the client",
    async run({ call }) {
      expect(jsonOf(await call("folders"))).toEqual({ roots: [{ uri: "file:///of/the/hub", name: "hub" }] });
    },
  },
  {
    title: "changes of all three lists are announced, each for itself",
    async run({ client, server }) {
      const stop = await client.subscribe(note);
      server.grow("tools");
      await until(() => client.heard.includes("tools/list_changed"));
      for (const kind of ["resources", "prompts"] as const) server.grow(kind);
      await until(() => client.heard.length > 2);
      expect(client.heard.toSorted()).toEqual(["prompts/list_changed", "resources/list_changed", "tools/list_changed"]);
      const { tools } = await client.request("tools/list");
      expect(JSON.stringify(tools)).toContain("more_1");
      await stop();
    },
  },
  {
    title: "long lists come in pages on both sides of the hub",
    async run({ client, server }) {
      const stop = await client.subscribe(note);
      const before = server.offer.list.prompts().length;
      server.grow("prompts", 10_001 - before);
      await until(() => client.heard.includes("prompts/list_changed"));
      const first = await client.request("prompts/list");
      expect(first.prompts).toHaveLength(10_000);
      const second = await client.request("prompts/list", { cursor: first.nextCursor });
      expect(second.prompts).toHaveLength(1);
      expect(second.nextCursor).toBeUndefined();
      server.grow("prompts", before - 10_001);
      await stop();
    },
  },
  {
    title: "an unknown tool or prompt is an error",
    async run({ client, call }) {
      await expect(call("nothing")).rejects.toMatchObject({ code: -32602 });
      await expect(client.request("prompts/get", { name: "nothing" })).rejects.toMatchObject({ code: -32602 });
    },
  },
  {
    title: "a resource that does not exist is an error with the number of the client's era",
    async run({ client, from }) {
      await expect(client.request("resources/read", { uri: "test://item/none" })).rejects.toMatchObject({
        code: from === "2025" ? -32002 : -32602,
        data: { uri: "test://item/none" },
      });
    },
  },
  {
    title: "an error number that 2026 reserves does not get to its clients",
    async run({ call, from }) {
      await expect(call("fail")).rejects.toMatchObject({
        code: from === "2025" ? -32050 : -32603,
        message: /not for us to use/,
      });
    },
  },
  {
    title: "unknown _meta of a request reaches the server, and nothing of the connection to the hub",
    async run({ client, received, to }) {
      const ref = { type: "ref/prompt", name: "greet" };
      const requests = {
        "tools/call": { name: "add", arguments: { a: 1, b: 2 } },
        "resources/read": { uri: note },
        "prompts/get": { name: "greet", arguments: { who: "Ada" } },
        "completion/complete": { ref, argument: { name: "who", value: "A" } },
      };
      for (const [method, params] of Object.entries(requests)) {
        await client.request(method, { ...params, _meta: unknownMeta });
        const { _meta: meta } = received(method).at(-1) as { _meta: Record<string, unknown> };
        expect(meta).toMatchObject(unknownMeta);
        expect(meta["io.modelcontextprotocol/protocolVersion"]).toBe(to === "2025" ? undefined : "2026-07-28");
        expect(meta["io.modelcontextprotocol/clientInfo"]).toEqual(
          to === "2025" ? undefined : expect.objectContaining({ name: "clawport" }),
        );
      }
    },
  },
  {
    title: "_meta of a list comes back",
    async run({ client }) {
      for (const [method, key] of [
        ["tools/list", "tools"],
        ["resources/list", "resources"],
        ["resources/templates/list", "resourceTemplates"],
        ["prompts/list", "prompts"],
      ] as const)
        expect((await client.request(method))._meta).toMatchObject({ "example.com/list": key });
    },
  },
];

let hub: EraHub;
beforeAll(async () => {
  hub = await startEraHub();
});
afterAll(() => hub?.[Symbol.asyncDispose]());

const eras: readonly Era[] = ["2025", "2026"];
const pairs = eras.flatMap((from) => eras.map((to) => ({ from, to })));

describe.each(pairs)("a client of $from with a server of $to", ({ from, to }) => {
  let client: EraClient;
  let pair: Pair;

  beforeAll(async () => {
    client = await hub.openClient(from, to);
  });
  afterAll(() => client?.[Symbol.asyncDispose]());
  beforeEach(() => {
    pair = hub.pairOf(client, from, to);
  });

  test("speaks the revision of its era", () => {
    expect(client.version).toBe(from === "2025" ? "2025-11-25" : "2026-07-28");
  });

  const rows = features.map(({ title, run, except }) => {
    const exception = except?.[`${from} → ${to}`];
    return exception ? { ...exception, title: `${title}: not here, because ${exception.because}` } : { title, run };
  });
  test.each(rows)("$title", async ({ run }) => {
    await expect(run(pair)).resolves.toBeUndefined();
  });
});
