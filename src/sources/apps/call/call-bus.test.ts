import { describe } from "vitest";
import { testBus } from "./bus.contract.ts";
import { createLocalBus } from "./call-bus.ts";

describe("the bus of one process", () => {
  testBus(async () => createLocalBus());
});
