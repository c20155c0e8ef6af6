import { expect, test } from "vitest";
import { memoryWorld } from "../../tests/cli/memory-world.ts";
import { start } from "./start.ts";

test("on a Node that is too old every command says so, and the doctor still runs", async () => {
  const world = memoryWorld();
  expect(await start(["audit"], world, "20.20.2")).toBe(69);
  expect(world.err()).toContain("Node 20.20.2 is too old: 22.19 or newer is needed");
  const doctored = memoryWorld();
  expect(await start(["doctor", "--help"], doctored, "20.20.2")).toBe(0);
  expect(doctored.out()).toContain("Usage");
});
