import { describe } from "vitest";
import { testCallBus } from "./call-bus.contract.ts";
import { createLocalBus } from "./call-bus.ts";

describe("the bus of one process", () => {
  testCallBus(async () => createLocalBus());
});
