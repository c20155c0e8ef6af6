import { expect, test } from "vitest";
import { startFakeGateway } from "../../tests/support/fake-gateway.ts";
import { silentLog } from "../core/log.ts";
import { openGateway } from "./open-gateway.ts";

const { signal } = new AbortController();
const token = "hunter2longtoken";

/** The error we make of a gateway's refusal of this method with this reason. */
async function refused(method: string, reason: string): Promise<unknown> {
  await using fake = await startFakeGateway((request) => (request.method === method ? new Error(reason) : undefined));
  const url = `${fake.url.replace("ws://", "ws://me:mysecret@")}/?token=mysecret`;
  const options = { address: { url, token, from: "the test" }, log: silentLog, version: "0", patienceMs: 1000 };
  const gateway = await openGateway(options);
  try {
    await gateway.connected(signal);
    return await gateway.request(method, {}, { signal });
  } catch (error) {
    return error;
  } finally {
    await gateway.close();
  }
}

test.each([
  ["rejects our credentials", "connect", "unauthorized", "at ws://[redacted]@127"],
  ["can't be reached", "connect", "out of order", "at ws://[redacted]@127"],
  ["refuses a request", "sessions.list", "out of order", "refused sessions.list"],
])("when a gateway %s, its reason is quoted, bounded and free of secrets", async (_, method, why, says) => {
  const error = await refused(method, `${why}: ${token}\n${"no ".repeat(5000)}`);
  expect(error).toMatchObject({ message: expect.stringContaining(`"${why}: [redacted]\\nno no`) as string });
  expect(error).toMatchObject({ message: expect.stringContaining(says) as string });
  const { message } = error as Error;
  expect(message).not.toMatch(/hunter2|mysecret/);
  expect(message.length).toBeLessThan(1000);
});
