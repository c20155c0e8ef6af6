import { expect, test } from "vitest";
import type { Fault } from "../../../core/fault.ts";
import { silentLog } from "../../../core/log.ts";
import { createTail } from "../../../core/process/tail.ts";
import { until } from "../../../../tests/support/until.ts";
import { createStdioTransport } from "./stdio-transport.ts";

const line = JSON.stringify({ jsonrpc: "2.0", method: "notifications/message" });

/** Why the transport closes after a server has sent one line, to a listener that fails over it. */
async function closedBy(maxMessageBytes: number): Promise<Fault> {
  const transport = createStdioTransport({
    name: "noisy",
    server: { command: process.execPath, args: ["-e", `console.log('${line}'); setInterval(() => {}, 1000)`], env: {} },
    env: process.env,
    stderr: createTail(1000),
    log: silentLog,
    maxMessageBytes,
  });
  const { promise, resolve } = Promise.withResolvers<Fault>();
  const onMessage = () => {
    throw new TypeError("broken inside");
  };
  await transport.start({ onMessage, onLost: () => {}, onClose: resolve });
  const fault = await promise;
  await transport.close();
  return fault;
}

test("a message that can't be processed is not reported as too large, and keeps its cause", async () => {
  expect(await closedBy(1000)).toMatchObject({
    code: "outcome-unknown",
    cause: expect.objectContaining({ message: "broken inside" }),
  });
  expect(await closedBy(10)).toMatchObject({ code: "too-large" });
});

/** What became of messages sent in one turn to a server that has closed its input, and so can't read them. */
async function sentTo(count: number): Promise<string[]> {
  const script = "require('fs').closeSync(0); setInterval(() => {}, 1000)";
  const closing = createTail(1000);
  const transport = createStdioTransport({
    name: "deaf",
    server: {
      command: process.execPath,
      args: ["-e", `${script}; console.error("closed")`],
      env: {},
      pidNamespace: "off",
    },
    env: process.env,
    stderr: closing,
    log: silentLog,
    maxMessageBytes: 1000,
  });
  await transport.start({ onMessage: () => {}, onLost: () => {}, onClose: () => {} });
  await until(() => closing.text().includes("closed"));
  const messages = Array.from({ length: count }, (_, id) => ({ jsonrpc: "2.0" as const, id, method: "ping" }));
  const sent = await Promise.allSettled(messages.map((message) => transport.send(message)));
  await transport.close();
  return sent.map((each) => (each.status === "rejected" ? (each.reason as Fault).code : "sent"));
}

test("a message that can't be written was not received, but of several written together some may have been", async () => {
  expect(await sentTo(1)).toEqual(["unavailable"]);
  expect(await sentTo(3)).toEqual(["outcome-unknown", "outcome-unknown", "outcome-unknown"]);
});

test("a large message is not overtaken by those after it, and arrives even if the server exits right after", async () => {
  const answers = `const answer = (id, text) => JSON.stringify({ jsonrpc: "2.0", id, result: { text } }) + "\\n";
    const [small, large] = ["x", "x".repeat(5_000_000)];
    process.stdout.write(answer(1, small) + answer(2, large) + answer(3, small) + answer(4, large) + answer(5, small))`;
  const transport = createStdioTransport({
    name: "large",
    server: { command: process.execPath, args: ["-e", answers], env: {} },
    env: process.env,
    stderr: createTail(1000),
    log: silentLog,
    maxMessageBytes: 10_000_000,
  });
  const seen: unknown[] = [];
  const { promise, resolve } = Promise.withResolvers<Fault>();
  const onMessage = (message: object) => {
    const { id, result } = message as { readonly id: number; readonly result: { readonly text: string } };
    seen.push([id, result.text.length]);
  };
  await transport.start({ onMessage, onLost: () => {}, onClose: resolve });
  expect(await promise).toMatchObject({ code: "outcome-unknown" });
  expect(seen).toEqual([1, 2, 3, 4, 5].map((id) => [id, id % 2 === 0 ? 5_000_000 : 1]));
  await transport.close();
});
