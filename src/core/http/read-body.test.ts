import { once } from "node:events";
import { createServer, request as httpRequest } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { testOffer } from "../../../tests/support/mcp/test-offer.ts";
import { call, openWeb } from "../../../tests/support/mcp/web.ts";
import { until } from "../../../tests/support/until.ts";
import { isFault } from "../fault.ts";
import { readBody } from "./read-body.ts";
import { createRequestSlots } from "./request-slots.ts";

test("a body that grows too large on the way is refused once, and its broken rest breaks nothing", async () => {
  const outcomes: unknown[] = [];
  const loose: unknown[] = [];
  const onLoose = (reason: unknown) => loose.push(reason);
  process.on("unhandledRejection", onLoose);
  const server = createServer((request, response) => {
    readBody(request, 1000).catch((error: unknown) => {
      outcomes.push(error);
      request.resume().once("end", () => response.end());
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const sent = httpRequest({ host: "127.0.0.1", port, method: "POST" });
  sent.write(`"${"x".repeat(600)}`);
  sent.write("x".repeat(600));
  sent.end('"');
  const [response] = await once(sent, "response");
  await once(response.resume(), "end");
  await new Promise((resolve) => setImmediate(resolve));
  process.off("unhandledRejection", onLoose);
  server.close();
  expect(outcomes.map((error) => isFault(error, "too-large"))).toEqual([true]);
  expect(loose).toEqual([]);
});

describe("a body over the limit", () => {
  const options = { maxBodyBytes: 100_000 };
  const head = "POST / HTTP/1.1\r\nhost: x\r\naccept: application/json\r\n";

  test("is refused by the length it declares, before a byte of it came", async () => {
    await using web = await openWeb(testOffer(), options);
    const socket = connect(web.port, "127.0.0.1");
    socket.write(`${head}content-length: 100001\r\n\r\n`);
    const answer = await text(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer).toMatch(/connection: close/i);
    expect(answer).toContain("100000 bytes");
  });

  test("is refused by counting, and not read on", async () => {
    await using web = await openWeb(testOffer(), options);
    const socket = connect(web.port, "127.0.0.1");
    let answer = "";
    socket.on("data", (bytes) => (answer += String(bytes))).on("error", () => {});
    socket.write(`${head}transfer-encoding: chunked\r\n\r\n`);
    const piece = `${(10_000).toString(16)}\r\n${" ".repeat(10_000)}\r\n`;
    let sent = 0;
    for (; answer === "" && !socket.destroyed && sent < 5000; sent++) {
      socket.write(piece);
      await new Promise(setImmediate);
    }
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(sent).toBeLessThan(5000);
    await until(() => socket.closed);
  });

  test("of just the limit is taken, and the next request on the connection too", async () => {
    await using web = await openWeb(testOffer(), options);
    const empty = JSON.stringify(call(1, "echo", { text: "" })).length;
    const reply = await web.post(call(1, "echo", { text: "x".repeat(100_000 - empty) }));
    expect((await reply.json()).result.content[0].text).toHaveLength(100_000 - empty);
    expect((await web.post(call(2, "echo", { text: "x".repeat(100_001 - empty) }))).status).toBe(413);
    expect((await web.post(call(3, "echo", { text: "after" }))).status).toBe(200);
  });

  test("that breaks off does not affect the server", async () => {
    await using web = await openWeb(testOffer(), { ...options, admission: createRequestSlots(1) });
    const socket = connect(web.port, "127.0.0.1");
    socket.write(`${head}content-length: 50\r\n\r\n{"jsonrpc":`);
    await once(socket, "connect");
    socket.destroy();
    let status = 503;
    while (status === 503) ({ status } = await web.post({ jsonrpc: "2.0", id: 1, method: "ping" }));
    expect(status).toBe(200);
  });
});
