import { afterAll, beforeAll, expect, test } from "vitest";
import { freePort } from "../../../../tests/support/free-port.ts";
import { hasNats, type NatsServer, startNatsServer } from "../../../../tests/support/nats-server.ts";
import { silentLog } from "../../../core/log.ts";
import { type NatsOptions, openNatsLinks } from "./nats-connection.ts";

let plain: NatsServer;
let locked: NatsServer;
beforeAll(async () => {
  plain = await startNatsServer({ jetStream: false });
  locked = await startNatsServer({ args: ["--user", "proxy", "--pass", "right"] });
});
afterAll(async () => {
  await plain[Symbol.asyncDispose]();
  await locked[Symbol.asyncDispose]();
});

/** Why the connection is refused: the code of the fault and its message. */
async function refusal(options: Partial<NatsOptions>): Promise<string> {
  try {
    await using _ = await openNatsLinks({ servers: [locked.url], prefix: "test", ...options }, silentLog);
    return "connected";
  } catch (error) {
    const { code, message } = error as { code: string; message: string };
    return `${code}: ${message}`;
  }
}

const withLogin = (login: string) => ({ servers: [locked.url.replace("//", `//${login}@`)] });

test.skipIf(!hasNats)("a server without JetStream is refused with the reason", async () => {
  expect(await refusal({ servers: [plain.url] })).toMatch(/^unavailable: .*no JetStream.*nats-server -js/);
});

test.skipIf(!hasNats)(
  "user and password in the address are used; a wrong password is refused, and not repeated",
  async () => {
    expect(await refusal(withLogin("proxy:right"))).toBe("connected");
    const refused = await refusal(withLogin("proxy:sesame"));
    expect(refused).toMatch(/^unavailable: NATS at 127\.0\.0\.1:\d+ .*authorization/i);
    expect(refused).not.toContain("sesame");
    expect(await refusal({})).toMatch(/authorization/i);
  },
);

test.skipIf(!hasNats)("an address that no server listens on is refused at once, with what to do", async () => {
  const url = `nats://127.0.0.1:${await freePort()}`;
  expect(await refusal({ servers: [url] })).toMatch(/^unavailable: .*can't be reached.*Is `nats-server -js` running/);
});

test.skipIf(!hasNats).each(["http://127.0.0.1:4222", "nats://", "", "nats://user:50%off@127.0.0.1:4222"])(
  "the address «%s» is refused",
  async (url) => {
    expect(await refusal({ servers: [url] })).toBe(
      "config: A NATS address must look like nats://host:4222 or tls://host:4222.",
    );
  },
);

test.skipIf(!hasNats).each(["", "a.b", "a b", "*", ">", "x".repeat(33)])(
  "the prefix «%s» is refused",
  async (prefix) => {
    expect(await refusal({ prefix })).toMatch(/^config: The subject prefix must be/);
  },
);

test.skipIf(!hasNats).each(["credentialsFile", "caFile"])("a missing %s is refused", async (name) => {
  expect(await refusal({ [name]: "/does/not/exist" })).toMatch(/^config: The \w+ file for NATS can't be read: ENOENT/);
});
