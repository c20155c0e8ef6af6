import { readFile, writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { formatMark, ownMark } from "../../src/core/process/process-mark.ts";
import { openConsent } from "../../src/sources/machine/consent.ts";
import { startNode, type StartedNode, type StartNodeOptions } from "./start-node.ts";

const here = { location: { static: { lat: 48.2, lon: 16.37, accuracyMeters: 10 } } };

/** A node that knows where it is, which is private. */
const startPlaced = (consent: object, more: StartNodeOptions = {}) =>
  startNode({ machine: { ...here, consent }, ...more });

const isTold = async (node: StartedNode): Promise<boolean> => (await node.text("location.get")).includes("48.2");

test("a private read asks each time; no one to ask means no, with the reason alone", async () => {
  await using node = await startPlaced({});
  const text = await node.text("location.get");
  expect(text).toBe(
    "location.get needs approval, but no one is available to approve it: location.get needs the user's consent.",
  );
  expect(node.logged.join("\n")).toContain(
    "run `clawport approve 1`; to allow it from now on, run `clawport node allow location.get`",
  );
  const saved = JSON.parse(await readFile(node.home.file("guard", "approvals.json"), "utf8"));
  expect(saved.waiting).toMatchObject([{ name: "location.get", grantCommand: "clawport node allow location.get" }]);
});

test("ask: each call is a question of its own", async () => {
  await using node = await startPlaced({}, { attended: true });
  node.answer("once", "no");
  expect(await isTold(node)).toBe(true);
  expect(await isTold(node)).toBe(false);
  expect(node.questions.map(({ tool, grantCommand }) => [tool, grantCommand])).toEqual([
    ["location.get", "clawport node allow location.get"],
    ["location.get", "clawport node allow location.get"],
  ]);
});

test("session: the first answer counts until the node stops", async () => {
  await using node = await startPlaced({ "location.get": "session" }, { attended: true });
  node.answer("once");
  expect(await isTold(node)).toBe(true);
  expect(await isTold(node)).toBe(true);
  expect(node.questions).toHaveLength(1);
});

test("always: no question; off: no call, and nothing is declared to a gateway", async () => {
  {
    await using node = await startPlaced({ location: "always" }, { attended: true });
    expect(await isTold(node)).toBe(true);
    expect(node.questions).toEqual([]);
  }
  await using node = await startPlaced({ location: "off" }, { attended: true });
  expect(await node.text("location.get")).toContain("switched off on this computer");
  expect(node.node.engine.machine!.declared().map(({ name }) => name)).not.toContain("location.get");
  const { structuredContent } = await node.call("app.status");
  expect(structuredContent).toMatchObject({ capabilities: { "location.get": { consent: "off" } } });
});

test("a lasting answer is for that caller; off in the configuration wins over every answer", async () => {
  await using node = await startPlaced({}, { attended: true });
  node.answer("always");
  expect(await isTold(node)).toBe(true);
  expect(await isTold(node)).toBe(true);
  expect(node.questions).toHaveLength(1);
  const saved = JSON.parse(await readFile(node.home.file("machine", "consent.json"), "utf8"));
  expect(saved).toMatchObject([{ capability: "location.get", caller: expect.stringContaining("mcp-http") }]);
});

test("what the command allows counts at once, until the node stops or for good, and can be forgotten", async () => {
  await using node = await startPlaced({});
  const command = openConsent({ file: node.home.file("machine", "consent.json"), modes: {}, session: "" });
  expect(await isTold(node)).toBe(false);
  await command.decide({ capability: "location.get", choice: "always", session: "1_2_another" });
  expect(await isTold(node)).toBe(false);
  await command.decide({ capability: "location.get", choice: "always", session: formatMark(ownMark("/proc")) });
  expect(await isTold(node)).toBe(true);
  expect(await command.forget("location.get")).toBe(2);
  expect(await isTold(node)).toBe(false);
  await command.decide({ capability: "location.get", choice: "always" });
  expect(await isTold(node)).toBe(true);
  await command.decide({ capability: "location.get", choice: "never" });
  expect(await node.text("location.get")).toContain("the user does not allow location.get");
});

test("a damaged file of decisions allows nothing", async () => {
  await using node = await startPlaced({});
  await openConsent({ file: node.home.file("machine", "consent.json"), modes: {}, session: "" }).decide({
    capability: "location.get",
    choice: "always",
  });
  expect(await isTold(node)).toBe(true);
  await writeFile(node.home.file("machine", "consent.json"), '[{"capability":"location.get","choice":"sure"}]');
  expect(await isTold(node)).toBe(false);
});

test("a rule of the policy can forbid what needs no consent", async () => {
  await using node = await startNode({
    config: { policy: { rules: [{ kind: "machine", tool: "device.*", verdict: "deny" }] } },
  });
  expect(await node.text("device.info")).toContain("was denied");
  expect(await node.text("system.which", { bins: ["git"] })).toContain("git");
});
