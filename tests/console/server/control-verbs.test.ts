import { readFile } from "node:fs/promises";
import { expect, test, vi } from "vitest";
import { addNamedToken } from "../../../src/doors/mcp/named-tokens.ts";
import { hubKeyPath, readHubKey } from "../../../src/doors/mcp/hub-keys.ts";
import { controlDocs, namedVerbs, opened } from "../../../scripts/control-docs.ts";
import { postAtSocket } from "../../support/hub-socket.ts";
import { testSource } from "../../support/test-source.ts";
import { callHub } from "../page/call-hub.ts";
import { send, startConsoleHub } from "./console-hub.ts";

vi.setConfig({ testTimeout: 120_000 });

const columns = [
  "no key",
  "client token",
  "main token",
  "relay key",
  "control key",
  "console, looking",
  "console",
] as const;
type Column = (typeof columns)[number];

test("every verb lets those through that the table says, and no others", async () => {
  await using hub = await startConsoleHub();
  const { home } = hub;
  const [looking, person] = [await hub.signIn(false), await hub.signIn()];
  const { token: mainToken } = await person.ask<{ token: string }>("machine.revealToken");
  const clientToken = (await addNamedToken({ home }, "phone")).reveal();
  const keyOf = (name: "relay" | "control"): string => readHubKey(hubKeyPath({ home }, name))!.reveal();
  // A body that is refused after the rights, so that nothing is done.
  const atSocket = async (verb: string, presented: string) =>
    (await postAtSocket(home.path, `/control/${verb}`, [], presented)).text;
  const atBoth = async (verb: string, presented: string) => {
    const headers = { "content-type": "application/json", ...(presented && { authorization: `Bearer ${presented}` }) };
    const tcp = await send(`${hub.address}/control/${verb}`, { method: "POST", headers, body: "[]" });
    return (await atSocket(verb, presented)) + tcp.text;
  };
  const ask: Readonly<Record<Column, (verb: string) => Promise<string>>> = {
    "no key": (verb) => atBoth(verb, ""),
    "client token": (verb) => atBoth(verb, clientToken),
    "main token": (verb) => atBoth(verb, mainToken),
    "relay key": (verb) => atSocket(verb, keyOf("relay")),
    "control key": (verb) => atSocket(verb, keyOf("control")),
    "console, looking": async (verb) => (await looking.post(verb, [])).text,
    console: async (verb) => (await person.post(verb, [])).text,
  };
  for (const { name: verb, needs } of namedVerbs) {
    const answers = await Promise.all(columns.map(async (column) => [column, await ask[column](verb)] as const));
    const passed = answers.filter(([, text]) => text.includes("must be a JSON object")).map(([column]) => column);
    expect([verb, passed]).toEqual([verb, opened[needs]]);
  }
});

test("a client's own token answers no question, and the audit says how the person did", async () => {
  const config = JSON.stringify({ policy: { rules: [{ tool: "files__*", verdict: "ask" }] } });
  const source = testSource({ id: "files", prefix: "files", tools: ["delete"] });
  await using hub = await startConsoleHub({ config, sources: [source] });
  const person = await hub.signIn();
  const token = (await readFile(hub.tokenPath, "utf8")).trim();
  const headers = { "content-type": "application/json", authorization: `Bearer ${token}` };
  // No page is open and no terminal is there, so the call is refused and can be approved for the next time.
  const call = () => callHub(hub.address, token, "files__delete", {});
  const waiting = async () => (await person.ask<{ refused: { id: string }[] }>("approvals.list")).refused[0]!.id;
  const answer = async (id: string) => ({ id, confirmed: true });
  await call();
  const own = JSON.stringify(await answer(await waiting()));
  expect((await send(`${hub.address}/control/approvals.approve`, { method: "POST", headers, body: own })).status).toBe(
    409,
  );
  expect((await postAtSocket(hub.home.path, "/control/approvals.approve", JSON.parse(own), token)).status).toBe(409);
  await person.ask("approvals.approve", await answer(await waiting()));
  expect((await call()).result?.isError).toBeUndefined();
  await call();
  await postAtSocket(hub.home.path, "/control/approvals.approve", await answer(await waiting()));
  await call();
  const audit = await readFile(hub.home.file("audit", "calls.jsonl"), "utf8");
  expect(audit.match(/once by \w+/g)).toEqual(["once by console", "once by terminal"]);
});

test("the documentation has every verb: in the page, and as an OpenAPI document", async () => {
  const [page, document] = controlDocs();
  expect(await readFile(page!.file, "utf8")).toBe(page!.text);
  expect(JSON.parse(await readFile(document!.file, "utf8"))).toEqual(JSON.parse(document!.text));
});
