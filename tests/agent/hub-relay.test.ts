import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { clawport, makePlace, type Place, startHub } from "../support/cli/run-clawport.ts";
import { runHere } from "../support/cli/test-home.ts";
import { type MockModel, startMockModel } from "../support/mock-model.ts";
import { startMcpServer, textOf } from "../support/start-mcp-server.ts";

vi.setConfig({ testTimeout: 60_000 });

interface Setup extends AsyncDisposable {
  readonly place: Place;
  readonly model: MockModel;
}

async function setUp(): Promise<Setup> {
  const place = await makePlace();
  const model = await startMockModel();
  Object.assign(place.env, { CLAWPORT_MODEL: "mock-1", CLAWPORT_MODEL_URL: model.baseUrl });
  return {
    place,
    model,
    async [Symbol.asyncDispose]() {
      await model[Symbol.asyncDispose]();
      await place[Symbol.asyncDispose]();
    },
  };
}

interface Hub {
  readonly calls: number;
  readonly callers: readonly { readonly door: string; readonly client?: string; readonly calls: number }[];
}

const hubOf = async (place: Place): Promise<Hub> =>
  (JSON.parse((await runHere(place, ["status", "--json"])).out) as { hub: Hub }).hub;

test("`agent` hands its order to the running hub, and the conversation goes on without it", async () => {
  await using setup = await setUp();
  const { place } = setup;
  await using hub = await startHub(place, "--port", "0");
  const first = await clawport(place, "agent", "hello there", "--session", "work");
  expect(first).toEqual({ exit: 0, out: "ECHO:hello there\n", err: "" });
  expect(await hubOf(place)).toMatchObject({ calls: 1, callers: [{ door: "cli", calls: 1 }] });
  const failed = await clawport(place, "agent", "fail");
  expect(failed).toMatchObject({ exit: 1, out: "", err: expect.stringMatching(/^Error: The model mock-1/) });
  hub.child.kill("SIGTERM");
  await hub.ended;
  expect((await clawport(place, "agent", "recall", "-s", "work")).out).toBe("EARLIER=hello there\n");
});

test("on a terminal the answer of the hub's agent is shown while it is written", async () => {
  await using setup = await setUp();
  const { place } = setup;
  await using _ = await startHub(place, "--port", "0");
  const writes: string[] = [];
  const stdout = { isTTY: true, write: (text: string) => void writes.push(text) };
  expect((await runHere(place, ["agent", "one two three four"], { stdout })).exit).toBe(0);
  expect((await hubOf(place)).calls).toBe(1);
  expect(writes.length).toBeGreaterThan(2);
  expect(writes.join("")).toBe("ECHO:one two three four\n");
});

test("a variable that names another agent, a flag or another configuration keeps the order in this process", async () => {
  await using setup = await setUp();
  const { place } = setup;
  await using other = await startMockModel();
  await using _ = await startHub(place, "--port", "0");
  const elsewhere = { ...place, env: { ...place.env, CLAWPORT_MODEL_URL: other.baseUrl } };
  expect((await clawport(elsewhere, "agent", "hello")).out).toBe("ECHO:hello\n");
  expect(other.requests).toHaveLength(1);
  const deep = { ...place, env: { ...place.env, CLAWPORT_ORDER_DEPTH: "1" } };
  expect((await clawport(deep, "agent", "hello")).out).toBe("ECHO:hello\n");
  const named = await clawport(place, "agent", "hello", "--gateway", "ws://127.0.0.1:1");
  expect(named.err).toContain("ws://127.0.0.1:1");
  expect((await hubOf(place)).calls).toBe(0);
});

test("`mcp-server` uses the hub from the first order on, as the client it serves, and goes on when the hub ends", async () => {
  await using setup = await setUp();
  const { place, model } = setup;
  const env = Object.fromEntries(Object.entries(place.env).filter(([name]) => name.startsWith("CLAWPORT_MODEL")));
  await using hub = await startHub(place, "--port", "0");
  await using server = await startMcpServer({ home: place.home, env: env as Record<string, string> });
  expect(textOf(await server.order({ message: "hello", sessionKey: "s" }))).toBe("ECHO:hello");
  const large = Buffer.alloc(200_000, "# notes\n").toString("base64");
  const files = [{ data: large, mimeType: "text/markdown", filename: "notes.md" }];
  expect((await server.order({ message: "read this", files })).isError).toBe(false);
  expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain("# notes");
  expect(await hubOf(place)).toMatchObject({
    calls: 2,
    callers: [{ door: "mcp-stdio", client: "test-client", calls: 2 }],
  });
  hub.child.kill("SIGKILL");
  await hub.ended;
  expect(textOf(await server.order({ message: "recall", sessionKey: "s" }))).toBe("EARLIER=hello");
  expect(await server.leftovers()).toEqual([]);
  expect(join(server.home)).toBe(place.home);
});

test("an order that is cancelled ends at the hub, too", async () => {
  await using setup = await setUp();
  const { place, model } = setup;
  await using _ = await startHub(place, "--port", "0");
  const stopping = new AbortController();
  const hanging = model.nextHanging();
  const ordering = runHere(place, ["agent", "hang"], { stopSignal: () => stopping.signal });
  const { closed } = await hanging;
  stopping.abort();
  await closed;
  expect(await ordering).toMatchObject({ exit: 130, out: "" });
  // The hub writes the line when its agent has let go of the order, maybe after our answer.
  await expect
    .poll(async () => (await runHere(place, ["audit", "--json"])).out)
    .toMatch(/"tool": ?"order_openclaw".*"outcome": ?"cancelled"/s);
});

test("an order whose hub is killed is not placed again, and says so", async () => {
  await using setup = await setUp();
  const { place, model } = setup;
  const hub = await startHub(place, "--port", "0");
  const hanging = model.nextHanging();
  const ordering = runHere(place, ["agent", "hang"]);
  await hanging;
  hub.child.kill("SIGKILL");
  const { exit, out, err } = await ordering;
  expect([exit, out]).toEqual([1, ""]);
  expect(err).toContain("Error: The hub did not answer the order: ");
  expect(model.requests).toHaveLength(1);
});

test("a hub that hangs keeps an order waiting for a moment only", async () => {
  await using setup = await setUp();
  const { place } = setup;
  await using hub = await startHub(place, "--port", "0");
  hub.child.kill("SIGSTOP");
  expect((await clawport(place, "agent", "hello")).out).toBe("ECHO:hello\n");
});
