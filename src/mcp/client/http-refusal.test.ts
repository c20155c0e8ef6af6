import { once } from "node:events";
import { createServer, get, type IncomingMessage } from "node:http";
import { expect, test } from "vitest";
import { listenHere } from "../../../tests/support/listen-here.ts";
import type { Fault } from "../../core/fault.ts";
import { refusalOf } from "./http-refusal.ts";

/** What a server's refusal with this body comes to, asked with these headers. */
async function refused(body: (headers: object) => string, headers: Record<string, string> = {}): Promise<Fault> {
  const server = createServer((request, response) => response.writeHead(400).end(body(request.headers)));
  await using address = await listenHere(server);
  const [response] = (await once(get(address.origin, { headers }), "response")) as [IncomingMessage];
  return refusalOf(response, (await response.toArray()).join(""), "none");
}

test.each([
  ['{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"No such thing."}}', "No such thing."],
  ['{"detail":"Send a token.","code":"unauthorized"}', "Send a token."],
  ['{"error":"invalid_request","error_description":"Not like this."}', "Not like this."],
  ['{"error":"invalid_request"}', "invalid_request"],
  ['{"other":1}', '{\\"other\\":1}'],
  ["<html>no</html>", "<html>no</html>"],
])("the sentence in %s is what is told", async (body, words) => {
  expect((await refused(() => body)).message).toBe(`The server answered with HTTP 400: "${words}"`);
});

test("a server that repeats what it was sent gives away no key, neither in the message nor beside it", async () => {
  const headers = { "x-api-key": "plain-words-are-a-key", authorization: "Bearer another-key", accept: "text/html" };
  const { message, detail } = await refused((sent) => `not with ${JSON.stringify(sent)}`, headers);
  expect(JSON.stringify({ message, detail })).not.toMatch(/plain-words|another-key/);
  expect(message).toContain("text/html");
});
