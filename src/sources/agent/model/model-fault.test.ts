import { expect, test } from "vitest";
import { startMockModel } from "../../../../tests/openclaw/bench/mock-model.ts";
import { findModel } from "./find-model.ts";
import { writeOnce } from "./write-once.ts";

test("a model server that is gone is told of by its address, without the library's words", async () => {
  const gone = await startMockModel();
  await gone[Symbol.asyncDispose]();
  const { origin } = new URL(gone.baseUrl);
  const settings = findModel({ name: "llama", url: gone.baseUrl }, {})!;
  const messages = [{ role: "user" as const, parts: [{ type: "text" as const, text: "hello" }] }];
  await expect(writeOnce(settings, { messages, maxTokens: 9 }, new AbortController().signal)).rejects.toMatchObject({
    code: "unavailable",
    message: `No model server answers at ${origin}. Is it running? CLAWPORT_MODEL_URL says where it is, or agent.model.url in the configuration.`,
  });
});
