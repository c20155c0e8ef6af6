import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type StartedHub, startHub } from "../support/start-hub.ts";
import { until } from "../support/until.ts";
import { type EraClient, openClient2025, openClient2026 } from "./fixtures/era-client.ts";
import { page, type PageServer, startPageServer, uiExtension } from "./fixtures/page-server.ts";

/** Two servers with the same URIs behind one hub, with the official SDK of each era as the client. */
let servers: { readonly one: PageServer; readonly two: PageServer };
let hub: StartedHub;

beforeAll(async () => {
  servers = { one: await startPageServer("one"), two: await startPageServer("two") };
  hub = await startHub({ config: { servers: { one: { url: servers.one.url }, two: { url: servers.two.url } } } });
});
afterAll(async () => {
  await hub[Symbol.asyncDispose]();
  await servers.one[Symbol.asyncDispose]();
  await servers.two[Symbol.asyncDispose]();
});

const pageOfTwo = "ui://two.clawport/app/main.html";

describe.each([
  ["2025", openClient2025],
  ["2026", openClient2026],
] as const)("a client of %s", (_era, openClient) => {
  let client: EraClient;
  const connect = async (path = "") =>
    openClient({ url: `${hub.hub.url}${path}`, token: await hub.token("main"), capabilities: {} });
  const textAt = async (uri: string, reader = client) => {
    const { contents } = await reader.request("resources/read", { uri });
    return contents as { uri: string; text: string }[];
  };

  beforeAll(async () => {
    client = await connect();
  });
  afterAll(() => client[Symbol.asyncDispose]());

  test("gets the page of the server whose tool it calls", async () => {
    const { tools } = (await client.request("tools/list")) as { tools: { name: string; _meta?: object }[] };
    expect(tools.find(({ name }) => name === "two__rich")?._meta).toEqual({ ui: { resourceUri: pageOfTwo } });
    expect(await textAt(pageOfTwo)).toEqual([{ uri: pageOfTwo, text: `${page} of two` }]);
    expect(await textAt("ui://one.clawport/app/main.html")).toMatchObject([{ text: `${page} of one` }]);
  });

  test("lists both pages and both templates, and reads from the right server", async () => {
    const { resources } = (await client.request("resources/list")) as { resources: object[] };
    expect(resources).toEqual([
      { uri: "ui://one.clawport/app/main.html", name: "page of one" },
      { uri: pageOfTwo, name: "page of two" },
    ]);
    expect((await client.request("resources/templates/list")).resourceTemplates).toEqual([
      { uriTemplate: "note://one.clawport/{id}", name: "note" },
      { uriTemplate: "note://two.clawport/{id}", name: "note" },
      expect.objectContaining({ uriTemplate: "clawport://results/{id}{?offset,length}" }),
    ]);
    expect(await textAt("note://two.clawport/7")).toMatchObject([{ text: "note://7 of two" }]);
  });

  test("reads a link that no list mentions from the server that sent it", async () => {
    await using other = await connect();
    const links = async (name: string) => {
      const { content } = await other.request("tools/call", { name, arguments: {} });
      const [link, embedded] = content as [{ uri: string }, { resource: { uri: string } }];
      return [link.uri, embedded.resource.uri];
    };
    const [first] = await links("two__link");
    expect(await links("two__link")).toEqual([first, pageOfTwo]);
    expect(await textAt(first!, other)).toMatchObject([{ uri: first, text: "made://report of two" }]);
    const [second] = await links("one__link");
    expect(second).not.toBe(first);
    expect(await textAt(second!, other)).toMatchObject([{ uri: second, text: "made://report of one" }]);
  });

  test("gets prompts with the URIs that it can read", async () => {
    const { messages } = await client.request("prompts/get", { name: "two__see", arguments: {} });
    expect(messages).toMatchObject([{ content: { resource: { uri: pageOfTwo, text: "two" } } }]);
  });

  test("is told of a change under the URI that it watches", async () => {
    const stop = await client.subscribe(pageOfTwo);
    servers.one.update(page);
    servers.two.update(page);
    await until(() => client.heard.includes(`resources/updated ${pageOfTwo}`));
    expect(client.heard.filter((line) => line.startsWith("resources/updated"))).toEqual([
      `resources/updated ${pageOfTwo}`,
    ]);
    await stop();
  });

  test("tells the servers which pages it can show, with every call", async () => {
    const settings = { mimeTypes: ["text/html;profile=mcp-app", "text/x-of-this-client"] };
    const capabilities = { extensions: { [uiExtension]: settings, "example.com/unknown": {} } };
    await using shows = await openClient({ url: hub.hub.url, token: await hub.token("main"), capabilities });
    const toldBy = async (caller: EraClient) => {
      await caller.request("tools/call", { name: "two__rich", arguments: {} });
      const call = servers.two.received.findLast(({ method }) => method === "tools/call");
      return call?.params?._meta?.["io.modelcontextprotocol/clientCapabilities"] as { extensions: object };
    };
    const { extensions } = await toldBy(shows);
    expect(extensions).toMatchObject({ [uiExtension]: settings });
    expect(extensions).not.toHaveProperty("example.com/unknown");
    expect((await toldBy(client)).extensions).not.toHaveProperty(uiExtension);
  });

  test("gets an error that names both if it reads the plain URI", async () => {
    await expect(textAt(page)).rejects.toThrow("More than one server has a resource at");
  });

  test("sees one server at its own address as it is", async () => {
    await using own = await connect("/two");
    const { tools } = (await own.request("tools/list")) as { tools: { name: string; _meta?: object }[] };
    expect(tools[0]).toMatchObject({ name: "rich", _meta: { ui: { resourceUri: page } } });
    expect((await own.request("resources/list")).resources).toEqual([{ uri: page, name: "page of two" }]);
    expect(await textAt(page, own)).toEqual([{ uri: page, text: `${page} of two` }]);
    const { content } = await own.request("tools/call", { name: "link", arguments: {} });
    expect(content).toMatchObject([{ uri: "made://report" }, { resource: { uri: page } }]);
  });
});

test("clients of both eras are told which pages the servers have, and servers that the hub carries them", async () => {
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    authorization: `Bearer ${await hub.token("main")}`,
  };
  const ask = async (method: string, params: object, more: Record<string, string> = {}) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const response = await fetch(hub.hub.url, { method: "POST", headers: { ...headers, ...more }, body });
    return (await response.json()) as { result: { capabilities: { extensions: object } } };
  };
  const ui = { mimeTypes: ["text/html;profile=mcp-app"] };
  const version = "2026-07-28";
  const legacy = await ask("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: {} });
  expect(legacy.result.capabilities.extensions).toEqual({ [uiExtension]: ui });
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": version,
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const modernHeaders = { "mcp-protocol-version": version, "mcp-method": "server/discover" };
  const modern = await ask("server/discover", { _meta }, modernHeaders);
  expect(modern.result.capabilities.extensions).toMatchObject({ [uiExtension]: ui });
  const listed = servers.one.received.find(({ method }) => method === "tools/list");
  expect(listed?.params?._meta?.["io.modelcontextprotocol/clientCapabilities"]).toMatchObject({
    extensions: { [uiExtension]: ui },
  });
});
