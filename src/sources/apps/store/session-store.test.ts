import { describe } from "vitest";
import { testSessionStore } from "./session-store.contract.ts";
import { createMemorySessionStore } from "./session-store.ts";

describe("a store in memory", () => {
  testSessionStore(async () => createMemorySessionStore());
});
