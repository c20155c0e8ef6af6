import { createServer, type RequestListener } from "node:http";
import { expect, test } from "vitest";
import { listenHere } from "../../../tests/support/listen-here.ts";
import { readBoundedBody } from "./read-response.ts";

async function fetched(listener: RequestListener, maxBytes: number): Promise<string> {
  await using address = await listenHere(createServer(listener));
  return (await readBoundedBody(await fetch(address.origin), maxBytes, "The film")).toString();
}

const writeWithoutEnd: RequestListener = (_, response) => {
  const timer = setInterval(() => response.write("x"), 1);
  response.on("close", () => clearInterval(timer));
};

test("a body up to the limit is read", async () => {
  expect(await fetched((_, response) => response.end("hello"), 5)).toBe("hello");
  expect(await fetched((_, response) => response.writeHead(204).end(), 5)).toBe("");
});

test.each<[string, RequestListener]>([
  ["one byte too long", (_, response) => response.end("hello!")],
  ["without end", writeWithoutEnd],
  [
    "announced as too long, of which nothing arrives",
    (_, response) => response.writeHead(200, { "content-length": 6 }).flushHeaders(),
  ],
])("a body %s is refused", async (_, listener) => {
  await expect(fetched(listener, 5)).rejects.toMatchObject({
    code: "too-large",
    message: "The film has more than 5 bytes.",
  });
});
