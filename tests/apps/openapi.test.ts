import { readFile } from "node:fs/promises";
import { type Schema, Validator } from "@cfworker/json-schema";
import { expect, test } from "vitest";
import { closeCodes } from "../../src/sources/apps/bridge/bridge-socket.ts";
import { createMemorySessionStore } from "../../src/sources/apps/store/session-store.ts";
import { bearer, registration, type RunningProxy, startProxy } from "./start-proxy.ts";
import { openApp } from "../support/apps/test-app.ts";

// oxlint-disable-next-line typescript/no-explicit-any
type Json = any;

const tokens = {
  OPENCLAW_PROXY_APP_TOKEN: "app-secret",
  OPENCLAW_PROXY_OPENCLAW_TOKEN: "claw-secret",
  OPENCLAW_PROXY_OPERATOR_TOKEN: "boss",
};
const tokenOf: Readonly<Record<string, string>> = {
  appToken: "app-secret",
  openclawToken: "claw-secret",
  operatorToken: "boss",
};
const methods = ["get", "post", "put", "patch", "delete"] as const;

interface Operation {
  readonly path: string;
  readonly method: string;
  readonly spec: Json;
}

interface RequestChanges {
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
  readonly id?: string;
}

/** Sends the request that an operation describes, with these changes. */
async function send(proxy: RunningProxy, { path, method, spec }: Operation, id: string, changes: RequestChanges = {}) {
  const session = changes.id ?? id;
  const scheme = Object.keys(spec.security[0] ?? {})[0] ?? "";
  const isMcp = path.startsWith("/v1/mcp");
  const usual = isMcp
    ? { jsonrpc: "2.0", id: 1, method: "tools/list" }
    : { ...registration, tools: registration.tools };
  const hasBody = spec.requestBody !== undefined;
  const stop = new AbortController();
  const response = await fetch(new URL(path.replace("{session_id}", session), proxy.address), {
    method: method.toUpperCase(),
    signal: stop.signal,
    headers: {
      ...(hasBody ? { "content-type": "application/json" } : {}),
      ...bearer(tokenOf[scheme]),
      ...(path === "/v1/mcp" ? { "mcp-session-id": session } : {}),
      accept: method === "get" && isMcp ? "text/event-stream" : "application/json, text/event-stream",
      ...changes.headers,
    },
    ...(hasBody ? { body: bodyOf(changes.body ?? usual), duplex: "half" } : {}),
  });
  const type = response.headers.get("content-type")?.split(";")[0] ?? "";
  // A stream has no end of its own.
  const text = type === "text/event-stream" ? "" : await response.text();
  stop.abort();
  return { status: response.status, type, text };
}

function bodyOf(body: unknown): string | ReadableStream {
  return body instanceof ReadableStream ? body : JSON.stringify(body);
}

test("the description matches the routes: every operation, every status, every body", async () => {
  await using proxy = await startProxy({ env: tokens });
  const document: Json = JSON.parse((await proxy.ask("GET", "/openapi.json")).text);
  const operations: Operation[] = Object.entries<Json>(document.paths).flatMap(([path, item]) =>
    methods.flatMap((method) => (item[method] ? [{ path, method, spec: item[method] }] : [])),
  );
  expect(new Set(operations.map(({ spec }) => spec.operationId)).size).toBe(operations.length);

  const seen = new Set<string>();
  const check = async (
    on: RunningProxy,
    operation: Operation,
    id: string,
    wanted: number,
    changes: RequestChanges = {},
  ) => {
    const name = `${operation.method} ${operation.path}`;
    const { status, type, text } = await send(on, operation, id, changes);
    expect([name, status]).toEqual([name, wanted]);
    expect([name, status, misfit(document, operation.spec.responses[status], type, text)]).toEqual([name, wanted, ""]);
    seen.add(`${name} ${status}`);
  };

  for (const operation of operations) {
    const { path, method, spec } = operation;
    const has = (status: number) => spec.responses[status] !== undefined;
    const { mcpSessionId: id } = await proxy.create();
    if (has(403)) await check(proxy, operation, id, 403, { headers: { origin: "https://evil.example" } });
    if (has(401)) await check(proxy, operation, id, 401, { headers: { authorization: "Bearer wrong" } });
    if (has(404)) await check(proxy, operation, id, 404, { id: "nobody" });
    if (has(415)) await check(proxy, operation, id, 415, { headers: { "content-type": "text/plain" } });
    if (has(413)) await check(proxy, operation, id, 413, { body: "x".repeat(5 * 1024 * 1024) });
    if (has(408)) await checkSlow(operation);
    if (has(429)) await checkRate(operation);
    if (has(202))
      await check(proxy, operation, id, 202, { body: { jsonrpc: "2.0", method: "notifications/initialized" } });
    if (has(400)) await check(proxy, operation, id, 400, wrongOf(operation));
    if (has(503)) await checkBusy(operation);
    if (has(200)) await check(proxy, operation, id, 200);
    if (has(204)) await check(proxy, operation, id, 204);
    if (has(101)) {
      const { bridge_url } = await proxy.create();
      await using app = await openApp(bridge_url, { headers: bearer("app-secret") });
      if (app.ws.readyState === app.ws.OPEN) seen.add(`${method} ${path} 101`);
    }
  }

  /** With a limit that lets no request pass. The session is from an earlier proxy. */
  async function checkRate(operation: Operation): Promise<void> {
    const store = { ...createMemorySessionStore(), [Symbol.asyncDispose]: () => Promise.resolve() };
    const openStore = () => Promise.resolve(store);
    await using usual = await startProxy({ env: tokens, openStore });
    const { mcpSessionId } = await usual.create();
    await usual.close();
    const rates = operation.path.startsWith("/v1/mcp") ? { requestsPerSecond: 0.4 } : { sessionsPerSecond: 0.4 };
    await using slow = await startProxy({ env: tokens, openStore, ...rates });
    await check(slow, operation, mcpSessionId, 429);
  }

  /** With a body that begins and never ends. */
  async function checkSlow(operation: Operation): Promise<void> {
    await using hasty = await startProxy({ env: tokens, bodyTimeoutMs: 50 });
    const { mcpSessionId } = await hasty.create();
    const body = new ReadableStream({ start: (stream) => stream.enqueue(Buffer.from("{")) });
    await check(hasty, operation, mcpSessionId, 408, { body });
  }

  async function checkBusy(operation: Operation): Promise<void> {
    if (operation.path === "/ready") {
      await using alone = await startProxy({ env: tokens, problem: () => "not connected to NATS" });
      await check(alone, operation, "", 503);
      return;
    }
    await using full = await startProxy({ env: tokens, maxHeld: 1000 });
    const { mcpSessionId } = await full.create({ tools: [] });
    await check(full, operation, mcpSessionId, 503, {
      body: { tools: [{ name: "a", description: "x".repeat(17_000) }] },
    });
  }

  const described = operations.flatMap(({ path, method, spec }) =>
    Object.keys(spec.responses).map((status) => `${method} ${path} ${status}`),
  );
  expect([...seen].sort()).toEqual(described.sort());

  // Methods that are not described return 405.
  const { mcpSessionId } = await proxy.create();
  for (const [path, item] of Object.entries<Json>(document.paths)) {
    for (const method of methods.filter((each) => item[each] === undefined)) {
      const spec = {
        security: Object.values<Json>(item).find((each) => each.security)?.security ?? [],
        requestBody: {},
      };
      const { status } = await send(
        proxy,
        { path, method, spec: method === "get" ? { ...spec, requestBody: undefined } : spec },
        mcpSessionId,
      );
      expect([method, path, status]).toEqual([method, path, 405]);
    }
  }
});

test("every reference in the description resolves, and every path parameter is described", async () => {
  await using proxy = await startProxy();
  const { text } = await proxy.ask("GET", "/openapi.json");
  const document: Json = JSON.parse(text);
  const references = [...text.matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => String(name));
  expect([...new Set(references)].sort()).toEqual(Object.keys(document.components.schemas).sort());
  for (const [path, item] of Object.entries<Json>(document.paths)) {
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const declared = (item.parameters ?? []).filter((each: Json) => each.in === "path").map((each: Json) => each.name);
    expect(declared).toEqual(inPath);
  }
});

test("the description and the documentation name every close code of the bridge", async () => {
  await using proxy = await startProxy();
  const { text } = await proxy.ask("GET", "/openapi.json");
  const page = await readFile(new URL("../../docs/proxy.md", import.meta.url), "utf8");
  const codes = Object.values(closeCodes).map(([code]) => code);
  expect(codes.filter((code) => !new RegExp(`[:,] ${code} `).test(text))).toEqual([]);
  expect(codes.filter((code) => !page.includes(`| ${code} |`))).toEqual([]);
});

/** How a response differs from its description; empty if it does not. */
function misfit(document: Json, described: Json, type: string, text: string): string {
  if (described === undefined) return "the status is not described";
  if (described.content === undefined) return text === "" ? "" : "a body that is not described";
  const found = described.content[type];
  if (found === undefined) return `${type} is not described`;
  if (type !== "application/json") return "";
  const schema = { ...found.schema, components: document.components } as Schema;
  const { valid, errors } = new Validator(schema, "2020-12").validate(JSON.parse(text));
  return valid ? "" : JSON.stringify(errors);
}

function wrongOf({ path, method }: Operation): RequestChanges {
  if (path.startsWith("/v1/mcp") && method === "get") return { headers: { accept: "application/json" } };
  if (path.startsWith("/v1/mcp")) return { body: { jsonrpc: "1.0" } };
  return { body: { tools: 7 } };
}
