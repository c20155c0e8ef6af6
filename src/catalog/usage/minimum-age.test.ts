import { expect, test } from "vitest";
import { minimumAge } from "./minimum-age.ts";

const now = Date.parse("2026-11-16T12:00:00Z");
const pin = (id: string, at: string) => ({ kind: "tool", id, hash: "", at }) as const;
const row = (source: string, day: string) => ({
  source,
  day,
  tool: "any",
  caller: "cli",
  calls: 1,
  errors: 0,
  sizeIn: 0,
  sizeOut: 0,
  sizeKept: 0,
});

test("a server can be judged once it has been listed for a week, and each of its tools", () => {
  const known = minimumAge({
    pins: [
      {
        server: "old",
        isListed: true,
        pins: [pin("read", "2026-11-09T12:00:00Z"), pin("new", "2026-11-09T12:00:01Z")],
      },
      { server: "young", isListed: true, pins: [pin("read", "2026-11-16T11:59:00Z")] },
      { server: "odd", isListed: true, pins: [pin("read", "not a time")] },
    ],
    // A server of that name was used long ago: what is configured now may be another.
    rows: [row("young", "2026-09-01")],
    now,
  });
  expect(["old", "young", "odd", "never-connected"].filter((name) => known.server(name))).toEqual(["old"]);
  expect(["read", "new", "other"].filter((name) => known.tool({ id: "old", kind: "server" }, name))).toEqual(["read"]);
  expect(known.tool({ id: "young", kind: "server" }, "read")).toBe(false);
});

test("what is built in can be judged a week after its first call; orders, which are always listed, after the first call of any tool", () => {
  const judged = (rows: readonly ReturnType<typeof row>[]) => {
    const known = minimumAge({ pins: [], rows, now });
    return (["agent", "machine"] as const).map((kind) => known.tool({ id: kind, kind }, "any"));
  };
  expect(judged([])).toEqual([false, false]);
  expect(judged([row("files", "2026-11-10")])).toEqual([false, false]);
  expect(judged([row("files", "2026-11-09")])).toEqual([true, false]);
  expect(judged([row("machine", "2026-11-09")])).toEqual([true, true]);
});
