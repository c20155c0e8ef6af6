import { createServer } from "node:http";
import { expect, test } from "vitest";
import { endWithText, endWithTexts, sizedText } from "./end-with-text.ts";
import { listen } from "./listen.ts";

const texts = ["", "short", "é", "a".repeat(20_000), `${"a".repeat(20_000)}é🦞`, "ÿ".repeat(40_000)];

test("a text arrives as it is, whatever its length and characters, alone and in parts", async () => {
  await using server = await serve();
  const address = server.origin;
  for (const [index, text] of texts.entries())
    expect((await (await fetch(`${address}/one/${index}`)).text()) === text, `text ${index}`).toBe(true);
  expect((await (await fetch(`${address}/all`)).text()) === texts.join("")).toBe(true);
});

async function serve() {
  const server = createServer(({ url = "" }, response) => {
    const sized = texts.map(sizedText);
    const own = url === "/all" ? undefined : sized[Number(url.slice("/one/".length))];
    const length = (own ? [own] : sized).reduce((sum, { bytes }) => sum + bytes, 0);
    response.writeHead(200, { "content-type": "text/plain; charset=utf-8", "content-length": length });
    if (own) endWithText(response, own.text, own.bytes);
    else endWithTexts(response, sized);
  });
  const { origin } = await listen(server, "127.0.0.1", 0);
  return {
    origin,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
