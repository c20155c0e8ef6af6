import { createServer, type RequestListener } from "node:http";
import { expect, test } from "vitest";
import { startFakeGateway } from "../../../../tests/support/fake-gateway.ts";
import { listenHere } from "../../../../tests/support/listen-here.ts";
import { silentLog } from "../../../core/log.ts";
import { mostKeptBytes } from "../media-limits.ts";
import { openGateway } from "./open-gateway.ts";
import { listReplyMedia } from "./reply-media.ts";

const { signal } = new AbortController();

/** Fetches the one thing that the agent attached, of which nobody says how large it is. */
async function readAttached(listener: RequestListener): Promise<string> {
  await using downloads = await listenHere(createServer(listener));
  await using fake = await startFakeGateway(({ method }) => {
    if (method === "artifacts.list") return { artifacts: [{ id: "a", title: "film.mp4" }] };
    return method === "artifacts.download" ? { url: "/a" } : undefined;
  });
  const line = await openGateway({ address: { url: fake.url, from: "the test" }, log: silentLog, version: "0" });
  try {
    await line.connected(signal);
    const gateway = { ...line, address: { url: downloads.origin.replace("http", "ws"), from: "the test" } };
    const run = { sessionKey: "k", runId: "r", announced: [] };
    const { media } = await listReplyMedia(gateway, run, { signal, log: silentLog });
    return (await media[0]!.read(signal)).toString();
  } finally {
    await line.close();
  }
}

test("what the agent attached is fetched from the gateway", async () => {
  expect(await readAttached((_, response) => response.end("a film"))).toBe("a film");
});

test("what is larger than anything that is kept is not fetched", async () => {
  const headers = { "content-length": mostKeptBytes + 1 };
  const read = readAttached((_, response) => response.writeHead(200, headers).flushHeaders());
  await expect(read).rejects.toMatchObject({ code: "too-large" });
});
