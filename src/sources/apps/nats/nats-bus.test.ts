import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasNats, startNatsServer, type NatsServer } from "../../../../tests/support/nats-server.ts";
import { silentLog } from "../../../core/log.ts";
import { Secret } from "../../../core/secrets/secret.ts";
import { testCallBus } from "../call/call-bus.contract.ts";
import type { CallBus } from "../call/call-bus.ts";
import { testSessionStore } from "../store/session-store.contract.ts";
import { openNatsBus } from "./nats-bus.ts";
import { openNatsLinks } from "./nats-connection.ts";
import { openNatsSessionStore } from "./nats-session-store.ts";

let server: NatsServer;
let made = 0;
const keys = [new Secret("a key of this deployment and no other")];
beforeAll(async () => {
  server = await startNatsServer();
});
afterAll(() => server[Symbol.asyncDispose]());

const openLinks = () => openNatsLinks({ servers: [server.url], prefix: `test${++made}`, keys }, silentLog);

describe.skipIf(!hasNats)("the bus over NATS", () => {
  testCallBus(async () => {
    const links = await openLinks();
    const bus = await openNatsBus(links, silentLog);
    return withLinks(bus, links);
  });
});

describe.skipIf(!hasNats)("the bus over NATS, from one instance to another", () => {
  testCallBus(async () => {
    const prefix = `test${++made}`;
    const links = await Promise.all(
      [1, 2].map(() => openNatsLinks({ servers: [server.url], prefix, keys }, silentLog)),
    );
    const [caller, holder] = await Promise.all(links.map((each) => openNatsBus(each, silentLog)));
    return {
      isReliable: false,
      hold: (...args) => holder!.hold(...args),
      send: (...args) => caller!.send(...args),
      expectHolder: (...args) => holder!.expectHolder(...args),
      expectMove: (...args) => holder!.expectMove(...args),
      moveExpected: (...args) => caller!.moveExpected(...args),
      waitForHolder: (...args) => caller!.waitForHolder(...args),
      async [Symbol.asyncDispose]() {
        for (const each of [caller, holder, ...links]) await each![Symbol.asyncDispose]();
      },
    };
  });
});

test.skipIf(!hasNats)(
  "a holder whose process stood still says that it left a call out, and runs what comes later",
  async () => {
    const links = await Promise.all(
      [1, 2].map(() => openNatsLinks({ servers: [server.url], prefix: "stood" }, silentLog)),
    );
    const [caller, holder] = await Promise.all(links.map((each) => openNatsBus(each, silentLog)));
    const received: string[] = [];
    await holder!.hold("a", {
      receive({ callId }, listener) {
        received.push(callId);
        listener.settled({ kind: "done", result: { content: [] } });
        return { cancel() {}, answer() {} };
      },
      evict() {},
    });
    const send = (callId: string) =>
      new Promise<string>((resolve) => {
        const order = {
          sessionId: "a",
          callId,
          tool: "echo",
          args: {},
          deadline: Date.now() + 10_000,
          mayRepeat: true,
        };
        caller!.send(order, { accepted() {}, news() {}, settled: ({ kind }) => resolve(kind) });
      });
    const left = send("left out");
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
    expect(await left).toBe("skipped");
    expect(received).toEqual([]);
    await expect.poll(() => send("later")).toBe("done");
    for (const each of [caller!, holder!, ...links]) await each[Symbol.asyncDispose]();
  },
);

describe.skipIf(!hasNats)("sessions in NATS", () => {
  testSessionStore(async () => {
    const links = await openLinks();
    return withLinks(await openNatsSessionStore(links, silentLog), links);
  });
});

function withLinks<T extends CallBus | Awaited<ReturnType<typeof openNatsSessionStore>>>(
  inner: T,
  links: AsyncDisposable,
): T {
  return {
    ...inner,
    async [Symbol.asyncDispose]() {
      await inner[Symbol.asyncDispose]();
      await links[Symbol.asyncDispose]();
    },
  };
}
