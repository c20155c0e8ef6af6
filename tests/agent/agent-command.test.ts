import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openConversationFiles } from "../../src/sources/agent/conversations/conversation-files.ts";
import { clawport, makePlace, type Place } from "../support/cli/run-clawport.ts";
import { runHere } from "../support/cli/test-home.ts";
import { type MockModel, startMockModel } from "../support/mock-model.ts";
import { type FakeGateway, startFakeGateway } from "../support/fake-gateway.ts";

let place: Place;
let model: MockModel;

beforeEach(async () => {
  place = await makePlace();
  model = await startMockModel();
  Object.assign(place.env, { CLAWPORT_MODEL: "mock-1", CLAWPORT_MODEL_URL: model.baseUrl });
});
afterEach(async () => {
  await model[Symbol.asyncDispose]();
  await place[Symbol.asyncDispose]();
});

test("an order from the terminal is answered, and its conversation can be listed, shown and deleted", async () => {
  expect(await clawport(place, "agent", "hello there", "--session", "work")).toMatchObject({
    exit: 0,
    out: "ECHO:hello there\n",
  });
  expect((await clawport(place, "agent", "recall", "-s", "work")).out).toBe("EARLIER=hello there\n");
  expect((await clawport(place, "sessions")).out).toMatch(/model .*4 +work\n$/);
  expect((await clawport(place, "sessions", "show", "work")).out).toContain("user: hello there");
  expect((await clawport(place, "sessions", "delete", "work")).exit).toBe(0);
  expect((await clawport(place, "sessions", "--json")).out).toBe("[]\n");
  const gone = await clawport(place, "sessions", "show", "work");
  expect(gone).toMatchObject({ exit: 3, err: expect.stringContaining("no conversation") });
}, 60_000);

test("files are sent along, and one that can't be sent is reported before anything is sent", async () => {
  await writeFile(join(place.folder, "notes.md"), "# The notes");
  await clawport(place, "agent", "read this", "--file", "notes.md");
  expect(JSON.stringify(model.requests[0]?.messages)).toContain("# The notes");
  await writeFile(join(place.folder, "thing.exe"), "MZ");
  const refused = await clawport(place, "agent", "x", "--file", "thing.exe");
  expect(refused).toMatchObject({ exit: 2, err: expect.stringContaining("thing.exe") });
  const missing = await clawport(place, "agent", "x", "--image", "nope.png");
  expect(missing).toMatchObject({ exit: 2, err: "clawport: There is no file nope.png.\n" });
  expect(model.requests).toHaveLength(1);
});

test("a failure goes to stderr and to the exit code; --json gives the whole result", async () => {
  const failed = await clawport(place, "agent", "fail");
  expect(failed).toMatchObject({ exit: 1, out: "", err: expect.stringMatching(/^Error: The model mock-1/) });
  const whole = JSON.parse((await clawport(place, "agent", "hello", "--json")).out);
  expect(whole).toMatchObject({ content: [{ type: "text", text: "ECHO:hello" }], isError: false });
});

test("control characters of an answer are not written to a terminal, but to a pipe", async () => {
  const order = ["agent", "hi \u001B]0;owned\u0007 there\u001B[2J"];
  let shown = "";
  const stdout = { isTTY: true, write: (text: string) => (shown += text) };
  expect((await runHere(place, order, { stdout })).exit).toBe(0);
  expect(shown).toMatch(/^ECHO:hi .* there/);
  expect(shown).not.toMatch(/[^\P{Cc}\n]/u);
  expect((await runHere(place, order)).out).toBe(`ECHO:${order[1]}\n`);
});

describe("with a running OpenClaw", () => {
  let gateway: FakeGateway;
  let keys: string[] = [];

  beforeEach(async () => {
    keys = ["agent:main:work", "agent:main:main"];
    gateway = await startFakeGateway(({ method, params }) => {
      switch (method) {
        case "sessions.list":
          return { sessions: keys.map((key, index) => ({ key, updatedAt: 1_700_000_000_000 + index })) };
        case "chat.history":
          return { messages: [{ role: "user", content: [{ type: "text", text: `hello from ${params.sessionKey}` }] }] };
        case "sessions.delete":
          keys = keys.filter((key) => key !== params.key);
          return { ok: true, key: params.key, deleted: true, archived: [] };
        default:
          return undefined;
      }
    });
    place.env["OPENCLAW_GATEWAY_URL"] = gateway.url;
  });
  afterEach(() => gateway[Symbol.asyncDispose]());

  test("its conversations are listed beside our own, and shown and deleted by either key", async () => {
    const { out } = await clawport(place, "sessions", "--json");
    expect(JSON.parse(out)).toMatchObject([
      { place: "openclaw", key: "agent:main:main" },
      { place: "openclaw", key: "agent:main:work" },
    ]);
    expect((await clawport(place, "sessions")).out).toMatch(/OpenClaw .*agent:main:work/);
    expect((await clawport(place, "sessions", "show", "work")).out).toBe("user: hello from agent:main:work\n");
    expect((await clawport(place, "sessions", "delete", "agent:main:work")).out).toBe(
      "Deleted agent:main:work (OpenClaw).\n",
    );
    expect(keys).toEqual(["agent:main:main"]);
    expect(gateway.requests.at(-1)?.params).toEqual({ key: "agent:main:work", deleteTranscript: true });
  }, 60_000);

  test("a key that exists in both places needs --from", async () => {
    const conversations = openConversationFiles(join(place.home, "agent", "sessions"));
    await conversations.write("work", [{ role: "user", content: "to the model" }]);
    const both = await clawport(place, "sessions", "delete", "work");
    expect(both).toMatchObject({ exit: 2, err: expect.stringContaining("--from") });
    expect((await clawport(place, "sessions", "show", "work", "--from", "model")).out).toBe("user: to the model\n");
    expect((await clawport(place, "sessions", "delete", "work", "--from", "model")).exit).toBe(0);
    expect(await conversations.list()).toEqual([]);
    expect(keys).toContain("agent:main:work");
  }, 60_000);
});
