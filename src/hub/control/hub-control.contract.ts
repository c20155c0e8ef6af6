import { writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import { agePins } from "../../../tests/support/age-pins.ts";
import { testContext } from "../../../tests/support/test-source.ts";
import { followAudit } from "./queries/audit-page.ts";
import type { HubControl } from "./verbs.ts";

/** An engine with the server `shelf`, the source `notes` (tool `add`), and an HTTP door. */
export interface ControlSubject extends AsyncDisposable {
  readonly control: HubControl;
  readonly configPath: string;
}

/** What every implementation of `HubControl` does, wherever its engine runs. */
export function testHubControl(open: () => Promise<ControlSubject>): void {
  test("a server can be listed, disconnected, connected and refreshed, and its output read", async () => {
    await using subject = await open();
    const { servers } = subject.control;
    expect(await servers.connect({ name: "shelf" })).toMatchObject({ name: "shelf", state: "ready", tools: 7 });
    expect(await servers.logs({ name: "shelf" })).toBe("shelf: open, as one\n");
    expect(await servers.disconnect({ name: "shelf" })).toMatchObject({ state: "disconnected" });
    await expect(servers.refresh({ name: "shelf" })).rejects.toMatchObject({ code: "unavailable" });
    expect(await servers.list()).toMatchObject([{ name: "shelf", state: "disconnected", tools: 0 }]);
    await servers.connect({ name: "shelf" });
    expect(await servers.refresh()).toMatchObject([{ name: "shelf", state: "ready" }]);
    await expect(servers.connect({ name: "other" })).rejects.toMatchObject({
      code: "not-found",
      message: expect.stringContaining("shelf") as string,
    });
  });

  test("tools can be listed, found and called; a tool that does not exist is undefined", async () => {
    await using subject = await open();
    const { tools } = subject.control;
    expect(await tools.list({ source: "notes" })).toMatchObject([{ name: "add", source: "notes" }]);
    expect((await tools.list()).map(({ name }) => name)).toContain("add");
    await expect(tools.list({ source: "other" })).rejects.toMatchObject({ code: "not-found" });
    expect(await tools.find({ name: "nothing" })).toBeUndefined();
    const tool = await tools.find({ name: "add" });
    expect(await tools.call(tool!, {}, callContext())).toMatchObject({ content: [{ type: "text", text: "add" }] });
  });

  test("what was called is counted, and what was not is named", async () => {
    await using subject = await open();
    const { servers, tools, usage } = subject.control;
    await servers.connect({ name: "shelf" });
    // A server that is new has had no chance to be used.
    expect(await usage.read()).toMatchObject({ total: { calls: 0 }, unused: { servers: [], tools: [] } });
    await agePins(dirname(subject.configPath));
    expect(await usage.read()).toMatchObject({ total: { calls: 0 }, unused: { servers: ["shelf"] } });
    await tools.call((await tools.find({ name: "add" }))!, {}, callContext());
    expect(await usage.read({ days: 7 })).toMatchObject({
      total: { calls: 1, errors: 0 },
      tools: [{ server: "notes", tool: "add", calls: 1 }],
    });
  });

  test("a server on this machine needs no sign-in, and no sign-in is stored", async () => {
    await using subject = await open();
    const { signIns } = subject.control;
    expect(await signIns.list()).toEqual([]);
    expect(await signIns.methodFor({ server: "shelf" })).toMatchObject({ device: false });
    const request = { redirectUri: "http://127.0.0.1:1/callback" };
    await expect(signIns.begin({ server: "shelf", ...request })).rejects.toMatchObject({ code: "usage" });
    await expect(signIns.awaitDevice({ server: "shelf", userCode: "ABC" })).rejects.toMatchObject({
      code: "not-found",
    });
  });

  test("a token is added for one source, listed without its secret, and removed", async () => {
    await using subject = await open();
    const { tokens } = subject.control;
    const added = await tokens.add({ name: "phone", views: ["notes"] });
    expect(added).toEqual({ name: "phone", view: "notes", token: expect.stringMatching(/^[\w-]{43}$/) as string });
    const listed = await tokens.list();
    expect(listed).toEqual([
      { name: "main", view: null, created: null },
      { name: "phone", view: "notes", created: expect.any(String) as string },
    ]);
    await expect(tokens.add({ name: "phone" })).rejects.toMatchObject({ code: "conflict" });
    await expect(tokens.add({ name: "tablet", views: ["notes", "note"] })).rejects.toMatchObject({
      code: "usage",
      message: expect.stringContaining('Did you mean "notes"?') as string,
    });
    await tokens.remove({ name: "phone" });
    expect(await tokens.add({ name: "both", views: ["shelf", "notes", "shelf"] })).toMatchObject({
      view: ["notes", "shelf"],
    });
    expect(await tokens.list()).toMatchObject([{}, { name: "both", view: ["notes", "shelf"] }]);
    await expect(tokens.remove({ name: "phone" })).rejects.toMatchObject({ code: "not-found" });
    expect(await tokens.reset()).toEqual({ path: expect.stringMatching(/mcp-token\.txt$/) as string });
  });

  test("without questions there is nothing to approve or to forget", async () => {
    await using subject = await open();
    const { approvals } = subject.control;
    expect(await approvals.list()).toEqual({ approvals: [], waiting: [], refused: [], changed: [] });
    await expect(approvals.approve({ id: "1", confirmed: true })).rejects.toMatchObject({ code: "not-found" });
    await expect(approvals.approve({ id: "1" })).rejects.toMatchObject({ code: "denied" });
    await expect(approvals.accept({ name: "add", confirmed: true })).rejects.toMatchObject({ code: "not-found" });
    await expect(approvals.accept({ name: "add" })).rejects.toMatchObject({ code: "denied" });
    await expect(approvals.reject({ name: "add" })).rejects.toMatchObject({ code: "not-found" });
    await expect(approvals.forget({ tool: "add" })).rejects.toMatchObject({ code: "not-found" });
  });

  test("pins: nothing is held back, and only a person can have them forgotten", async () => {
    await using subject = await open();
    const { pins } = subject.control;
    expect(await pins.list()).toEqual([]);
    await expect(pins.forget({ server: "no-such" })).rejects.toMatchObject({ code: "denied" });
    await expect(pins.forget({ server: "no-such", confirmed: true })).rejects.toMatchObject({ code: "not-found" });
  });

  test("the audit is read by tool and outcome, and followed from where it was read", async () => {
    await using subject = await open();
    const { audit, tools } = subject.control;
    expect(await audit.read()).toEqual({ lines: [], next: "" });
    const tool = (await tools.find({ name: "add" }))!;
    await tools.call(tool, {}, callContext());
    const { lines, next } = await audit.read({ after: "", waitMs: 5000 });
    expect(lines).toMatchObject([{ tool: "add", source: "notes", outcome: "ok" }]);
    expect((await audit.read({ tool: "other*" })).lines).toEqual([]);
    expect((await audit.read({ outcome: "denied" })).lines).toEqual([]);
    const stop = new AbortController();
    const following = followAudit(audit, { after: next }, stop.signal);
    const first = following.next();
    await tools.call(tool, {}, callContext());
    expect((await first).value).toMatchObject({ tool: "add" });
    stop.abort();
    expect((await following.next()).done).toBe(true);
    await expect(audit.read({ after: "nowhere" })).rejects.toMatchObject({ code: "bad-params" });
  });

  test("the audit is searched from its end, and one call is shown in steps", async () => {
    await using subject = await open();
    const { audit, tools } = subject.control;
    expect(await audit.search()).toEqual({ lines: [], searched: 0 });
    await tools.call((await tools.find({ name: "add" }))!, {}, callContext());
    await audit.read({ after: "", waitMs: 5000 });
    const { lines } = await audit.search({ tool: "a*", caller: "cli", outcome: "ok", text: "notes", limit: 5 });
    expect(lines).toMatchObject([{ tool: "add", source: "notes" }]);
    expect(await audit.search({ before: lines[0]!.id })).toEqual({ lines: [], searched: 0 });
    expect(await audit.steps({ id: lines[0]!.id })).toMatchObject({ line: lines[0], inside: [] });
    await expect(audit.steps({ id: "1-1" })).rejects.toMatchObject({ code: "not-found" });
    await expect(audit.search({ before: "nowhere" })).rejects.toMatchObject({ code: "bad-params" });
  });

  test("tools are searched, and the state of the computer, the agent, the clients and the rules is read", async () => {
    await using subject = await open();
    const { tools, machine, agent, clients, rules, servers, status } = subject.control;
    expect(await tools.search({ query: "ad", source: "notes" })).toMatchObject({ total: 1, tools: [{ name: "add" }] });
    expect(await machine.read()).toMatchObject({ needsRestart: false, tools: { offered: false, afterRestart: false } });
    expect(await agent.read()).toMatchObject({ backend: "none" });
    expect((await clients.list()).map(({ id }) => id)).toContain("cursor");
    expect(await clients.preview({ id: "cursor" })).toMatchObject({ diff: expect.any(Array) as unknown[] });
    expect(await rules.list()).toMatchObject({ path: subject.configPath, preset: "default", rules: [] });
    expect(await rules.dryRun({ rules: [{ verdict: "deny" }] })).toMatchObject({ calls: 0, perRule: [0] });
    await expect(rules.dryRun({ rules: [{ verdict: "perhaps" }] })).rejects.toMatchObject({ code: "config" });
    expect(await servers.importable()).toEqual([]);
    expect(await status.attention()).toEqual([]);
    expect(await status.series({ minutes: 5 })).toHaveLength(5);
  });

  test("what the client of a relay got is in the status", async () => {
    await using subject = await open();
    const { status } = subject.control;
    const [long, why] = ["x".repeat(1000), "as configured"];
    await status.noteSurface({ caller: "stdio", client: long, surface: "search", why });
    await status.noteSurface({ caller: "stdio", surface: "full", why });
    await status.noteSurface({ caller: "stdio", surface: "full", why });
    expect((await status.read()).surfaces).toMatchObject([
      { caller: "stdio", surface: "full", why },
      { caller: "stdio", client: long.slice(0, 200), surface: "search", why },
    ]);
  });

  test("a text of the configuration is checked against the schema", async () => {
    await using subject = await open();
    const { configuration } = subject.control;
    expect(await configuration.schema()).toMatchObject({ type: "object", properties: { servers: {} } });
    expect(await configuration.validate({ text: "{ hub: { port: 1 } }" })).toEqual({ ok: true, problems: [] });
    expect(await configuration.validate({ text: "{ hub: 1 }" })).toMatchObject({
      ok: false,
      problems: [{ path: "hub" }],
    });
  });

  test("an unknown conversation is a fault, and so is a store that can't be reached", async () => {
    await using subject = await open();
    const { conversations } = subject.control;
    expect(await conversations.list()).toEqual([]);
    await expect(conversations.show({ key: "work" })).rejects.toMatchObject({ code: "not-found" });
    await expect(conversations.remove({ key: "work", from: "model" })).rejects.toMatchObject({ code: "not-found" });
    await expect(conversations.list({ from: "openclaw" })).rejects.toMatchObject({ code: "unavailable" });
  });

  test("the configuration is shown as it is written, without secrets, and reloaded", async () => {
    await using subject = await open();
    const { configuration, tools } = subject.control;
    const place = await configuration.place();
    expect(place).toEqual({ path: subject.configPath, location: "state-folder" });
    await writeFile(
      subject.configPath,
      '{ servers: { a: { url: "https://a.example/", apiKey: "k1" } }, hub: { prot: 1 } }',
    );
    expect(await configuration.read()).toMatchObject({
      ...place,
      text: '{ servers: { a: { url: "https://a.example/", apiKey: "[redacted]" } }, hub: { prot: 1 } }',
      problems: [{ path: "hub.prot", suggestion: "port" }],
    });
    await expect(configuration.reload()).rejects.toMatchObject({ code: "config" });
    await writeFile(subject.configPath, '{ catalog: { exclude: ["add"] } }');
    await configuration.reload();
    expect(await tools.find({ name: "add" })).toBeUndefined();
  });

  test("the status, the connected apps and the doctor's findings can be read", async () => {
    await using subject = await open();
    const { status, apps, doctor } = subject.control;
    expect(await status.read()).toMatchObject({
      address: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) as string,
      version: "1.2.3",
      pid: process.pid,
      sessions: 0,
      sources: expect.arrayContaining([{ id: "notes", kind: "server", tools: 1 }]) as unknown[],
    });
    expect(await apps.list()).toEqual([]);
    const findings = await doctor.findings();
    expect(findings).toContainEqual(expect.objectContaining({ check: "node", level: "ok" }));
    expect(findings).toContainEqual(expect.objectContaining({ check: "servers" }));
  });
}

const callContext = () => testContext({ caller: { door: "cli" } });
