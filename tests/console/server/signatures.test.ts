import { expect, test, vi } from "vitest";
import { testSource } from "../../support/test-source.ts";
import { type Browser, send, startConsoleHub } from "./console-hub.ts";

vi.setConfig({ testTimeout: 30_000 });

const call = JSON.stringify({ tool: "add", arguments: {} });

async function startWithTool() {
  const source = testSource({ id: "notes", tools: ["add"] });
  const hub = await startConsoleHub({ sources: [source] });
  return Object.assign(hub, { calls: source.calls });
}

interface Sent {
  readonly method?: "GET" | "POST";
  readonly name?: string;
  readonly body?: string;
}

/** Signs one request, and sends another one with its signature. */
function sendOther({ address, headers }: Browser, signed: Sent, sent: Sent) {
  const { method = "POST", name = "call", body = call } = signed;
  const all = { ...headers(method, name, body) };
  return transmit(address, all, { method, name, body, ...sent });
}

async function transmit(address: string, headers: Readonly<Record<string, string>>, sent: Sent) {
  const { method = "POST", name = "call", body = call } = sent;
  const rest = { origin: address, "content-type": "application/json", ...headers };
  return (await send(`${address}/console/api/${name}`, { method, headers: rest, body })).status;
}

test("a request is taken once", async () => {
  await using hub = await startWithTool();
  const browser = await hub.signIn();
  const headers = browser.headers("POST", "call", call);
  expect(await transmit(hub.address, headers, {})).toBe(200);
  for (let times = 0; times < 3; times++) expect(await transmit(hub.address, headers, {})).toBe(401);
  // At the same moment, too.
  const again = browser.headers("POST", "call", call);
  const answers = await Promise.all(Array.from({ length: 8 }, () => transmit(hub.address, again, {})));
  expect(answers.filter((status) => status === 200)).toHaveLength(1);
  expect(hub.calls).toHaveLength(2);
});

test("a signature counts for its method, path, query and body only", async () => {
  await using hub = await startWithTool();
  const browser = await hub.signIn();
  expect(await sendOther(browser, {}, { body: call.replace("{}", '{"a":1}') })).toBe(401);
  expect(await sendOther(browser, {}, { body: "{}" })).toBe(401);
  expect(await sendOther(browser, { body: "" }, { body: call })).toBe(401);
  expect(await sendOther(browser, { name: "status.read" }, { name: "call" })).toBe(401);
  expect(await sendOther(browser, { name: "call?a=1" }, { name: "call?a=2" })).toBe(401);
  expect(await sendOther(browser, { method: "GET", name: "call" }, { method: "POST" })).toBe(401);
  expect(hub.calls).toEqual([]);
  expect((await browser.post("call", call)).status).toBe(200);
});

test("a signature with another counter, channel or session is none", async () => {
  await using hub = await startWithTool();
  const [browser, other] = [await hub.signIn(), await hub.signIn()];
  const { "x-clawport-console": signature = "", ...rest } = browser.headers("POST", "call", call);
  const [session = "", channel = "", counter = "", hash = "", mac = ""] = signature.split(".");
  const changed = [
    [session, channel, String(Number(counter) + 1), hash, mac],
    [session, "A".repeat(22), counter, hash, mac],
    [other.session, channel, counter, hash, mac],
    [session, channel, `0${counter}`, hash, mac],
    [session, channel, counter, hash, `${mac.startsWith("A") ? "B" : "A"}${mac.slice(1)}`],
    [session, channel, counter, hash],
  ];
  for (const parts of changed)
    expect(await transmit(hub.address, { ...rest, "x-clawport-console": parts.join(".") }, {})).toBe(401);
  expect(hub.calls).toEqual([]);
  expect(await transmit(hub.address, { ...rest, "x-clawport-console": signature }, {})).toBe(200);
});

test("requests that overtake each other are taken, each once", async () => {
  await using hub = await startConsoleHub();
  const browser = await hub.signIn();
  const body = "{}";
  const signed = Array.from({ length: 40 }, () => browser.headers("POST", "status.read", body));
  const mixed = signed.toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)));
  const sent = () => Promise.all(mixed.map((headers) => transmit(hub.address, headers, { name: "status.read", body })));
  expect(new Set(await sent())).toEqual(new Set([200]));
  expect(new Set(await sent())).toEqual(new Set([401]));
});

test("two tabs of one session, and a reload, each count for themselves", async () => {
  await using hub = await startConsoleHub();
  const one = await hub.signIn();
  const other = one.reload();
  for (const page of [one, other, one, other, one.reload()])
    expect(await page.ask("status.read")).toMatchObject({ version: "1.2.3" });
});

test("what was signed for a hub that is gone opens nothing at the next one", async () => {
  await using hub = await startWithTool();
  const browser = await hub.signIn();
  const unused = browser.headers("POST", "call", call);
  await hub.restart();
  expect(await transmit(hub.address, unused, {})).toBe(401);
  await hub.signIn();
  expect(await transmit(hub.address, unused, {})).toBe(401);
  expect(hub.calls).toEqual([]);
});

test("the right to change things is the session's, not the request's", async () => {
  await using hub = await startWithTool();
  const looking = await hub.signIn(false);
  expect(await looking.ask("status.read")).toMatchObject({ version: "1.2.3" });
  expect((await looking.post("call", call)).status).toBe(403);
  expect((await looking.post("configuration.write", { text: "{}", baseHash: "", confirmed: true })).status).toBe(403);
  expect(hub.calls).toEqual([]);
});
