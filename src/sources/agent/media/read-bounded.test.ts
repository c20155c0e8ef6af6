import { createServer, type RequestListener } from "node:http";
import { expect, test } from "vitest";
import { listenHere } from "../../../../tests/support/listen-here.ts";
import { readBoundedBody } from "./read-bounded.ts";

async function fetched(listener: RequestListener, most: number): Promise<string> {
  await using address = await listenHere(createServer(listener));
  return (await readBoundedBody(await fetch(address.origin), most, "The film")).toString();
}

const writeWithoutEnd: RequestListener = (_, response) => {
  const timer = setInterval(() => response.write("x"), 1);
  response.on("close", () => clearInterval(timer));
};

test("a body that fits is read, to the last byte that is allowed", async () => {
  expect(await fetched((_, response) => response.end("hello"), 5)).toBe("hello");
  expect(await fetched((_, response) => response.writeHead(204).end(), 5)).toBe("");
});

test.each<[string, RequestListener]>([
  ["one byte too long", (_, response) => response.end("hello!")],
  ["without end", writeWithoutEnd],
  [
    "said to be too long, of which nothing comes",
    (_, response) => response.writeHead(200, { "content-length": 6 }).flushHeaders(),
  ],
])("a body %s is refused", async (_, listener) => {
  await expect(fetched(listener, 5)).rejects.toMatchObject({
    code: "too-large",
    message: "The film has more than 5 bytes.",
  });
});
