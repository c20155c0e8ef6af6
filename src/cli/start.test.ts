import { expect, test } from "vitest";
import { memoryWorld } from "../../tests/support/cli/memory-world.ts";
import { start } from "./start.ts";

test.each(["audit", "doctor"])("%s reports a Node that is too old", async (name) => {
  const world = memoryWorld();
  expect(await start([name], world, "20.20.2")).toBe(69);
  expect(world.err()).toContain("Node 20.20.2 is too old: 22.19 or newer is required");
});
