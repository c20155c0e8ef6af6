import { createServer } from "node:http";
import { expect, test } from "vitest";
import { startMockModel } from "../../../../tests/support/mock-model.ts";
import { listenHere } from "../../../../tests/support/listen-here.ts";
import { findModel } from "./find-model.ts";
import { sampleModel } from "./sample-model.ts";

const messages = [{ role: "user" as const, parts: [{ type: "text" as const, text: "hello" }] }];
const request = { messages, maxTokens: 9 };

test("a model server that is down is reported with its address, without the library's message", async () => {
  const gone = await startMockModel();
  await gone[Symbol.asyncDispose]();
  const { origin } = new URL(gone.baseUrl);
  const settings = findModel({ name: "llama", url: gone.baseUrl }, {})!;
  await expect(sampleModel(settings, request, new AbortController().signal)).rejects.toMatchObject({
    code: "unavailable",
    message: `No model server answers at ${origin}. Start it, or set its address with CLAWPORT_MODEL_URL or agent.model.url.`,
  });
});

test("a model server's reason is quoted, bounded and free of keys", async () => {
  const message = `Wrong key hunter2longkey, not sk-abcdefghijklmnop1234:\n${"no ".repeat(5000)}`;
  const server = createServer((_, response) => response.writeHead(400).end(JSON.stringify({ error: { message } })));
  await using address = await listenHere(server);
  const settings = findModel({ name: "llama", url: `${address.origin}/v1`, apiKey: "hunter2longkey" }, {})!;
  await expect(sampleModel(settings, request, new AbortController().signal)).rejects.toMatchObject({
    code: "unavailable",
    message: expect.stringMatching(
      /^The model llama did not answer: "Wrong key \[redacted\], not \[redacted\]:\\n[no ]{200,300}"$/,
    ),
  });
});
