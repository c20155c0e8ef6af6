import { mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { formatMark, ownMark } from "../../../core/process/process-mark.ts";
import type { GatewayEvent } from "../../../openclaw/open-gateway.ts";
import { type OrderLoop, watchOrderLoop } from "./order-loop.ts";

const openClaw = { door: "mcp-http", client: "openclaw-bundle-mcp" } as const;
const codex = { door: "mcp-http", client: "codex" } as const;

function open(folder?: string): {
  readonly loop: OrderLoop;
  calls(runId: string, args: object, name?: string): void;
  ends(runId: string): void;
  stops(runId: string): void;
} {
  let listener: (event: GatewayEvent) => void = () => {};
  const loop = watchOrderLoop({ onEvent: (each) => ((listener = each), () => {}) }, folder);
  const emit = (runId: string, data: object): void =>
    listener({ event: "agent", payload: { runId, stream: "tool", data: { toolCallId: "t", ...data } } });
  return {
    loop,
    calls: (runId, args, name = "clawport__order_openclaw") => emit(runId, { phase: "start", name, args }),
    ends: (runId) => emit(runId, { phase: "result", name: "x" }),
    stops: (runId) => listener({ event: "chat", payload: { runId, state: "aborted" } }),
  };
}

const passes = (loop: OrderLoop, message: string, caller: typeof openClaw | typeof codex): Promise<boolean> =>
  loop.check(message, caller).then(
    () => true,
    () => false,
  );

test("an order that comes out of an order is refused with the reason, whatever client brings it", async () => {
  const { loop, calls } = open();
  using run = loop.begin();
  calls(run.runId, { message: "again" });
  await expect(loop.check("again", codex)).rejects.toMatchObject({
    code: "denied",
    message: expect.stringContaining("an agent that orders itself would never end") as string,
  });
  expect(await passes(loop, "something else", codex)).toBe(true);
});

test("the call is known by its id under Tool Search, and by the mark of another Clawport's order", async () => {
  const { loop, calls, ends } = open();
  calls("clawport-order-of-another", { id: "clawport__order_openclaw-2", args: { message: "again" } }, "tool_call");
  expect(await passes(loop, "again", codex)).toBe(false);
  ends("clawport-order-of-another");
  expect(await passes(loop, "again", codex)).toBe(true);
});

test("a call that its run left without a result is forgotten with the run", async () => {
  const { loop, calls, stops } = open();
  const run = loop.begin();
  calls(run.runId, { message: "again" });
  run[Symbol.dispose]();
  expect(await passes(loop, "again", codex)).toBe(true);
  calls("clawport-order-of-another", { message: "again" });
  expect(await passes(loop, "again", codex)).toBe(false);
  stops("clawport-order-of-another");
  expect(await passes(loop, "again", codex)).toBe(true);
});

test("a chat in OpenClaw may place an order, also while another order runs", async () => {
  const { loop, calls } = open();
  using _ = loop.begin();
  calls("a chat", { message: "summarise" });
  expect(await passes(loop, "summarise", openClaw)).toBe(true);
});

test("an event that comes after the call still counts", async () => {
  const { loop, calls } = open();
  using run = loop.begin();
  const refused = passes(loop, "again", openClaw);
  calls(run.runId, { message: "again" });
  expect(await refused).toBe(false);
});

test("orders of other processes count, but not those of a process that was killed", async () => {
  const folder = await mkdtemp(join(tmpdir(), "running-"));
  const { loop } = open(folder);
  const other = open(folder).loop.begin();
  await expect(loop.check("again", openClaw)).rejects.toMatchObject({
    code: "denied",
    message: expect.stringContaining("try again when that is done") as string,
  });
  other[Symbol.dispose]();
  expect(await passes(loop, "again", openClaw)).toBe(true);
  await writeFile(join(folder, "4194303_1_nowhere.x"), "");
  const { pid, start, place } = ownMark("/proc");
  await writeFile(join(folder, `${formatMark({ pid, start: `${start}9`, place })}.x`), "");
  await utimes(join(folder, "4194303_1_nowhere.x"), 0, 0);
  expect(await passes(loop, "again", openClaw)).toBe(true);
  expect(await readdir(folder)).toEqual([]);
  await rm(folder, { recursive: true });
});

test("without an event, OpenClaw's own client is refused while an order runs, and only then", async () => {
  const { loop } = open();
  const run = loop.begin();
  expect(await passes(loop, "again", openClaw)).toBe(false);
  expect(await passes(loop, "again", codex)).toBe(true);
  run[Symbol.dispose]();
  expect(await passes(loop, "again", openClaw)).toBe(true);
});
