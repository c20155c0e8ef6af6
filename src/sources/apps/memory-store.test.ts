import { describe } from "vitest";
import { createMemoryStore } from "./memory-store.ts";
import { testSessionStore } from "./session-store.contract.ts";

describe("a store in memory", () => {
  testSessionStore(async () => createMemoryStore());
});
