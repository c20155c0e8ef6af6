import { once } from "node:events";
import { createServer, request as httpRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { isFault } from "../../core/fault.ts";
import { readBody } from "./read-body.ts";

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
