import { expect, test } from "vitest";
import type { Fault } from "../../../core/fault.ts";
import { silentLog } from "../../../core/log.ts";
import { createTail } from "../../../core/process/tail.ts";
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
