import { createServer, type RequestListener } from "node:http";
import { expect, test } from "vitest";
import { startFakeGateway } from "../../../../tests/support/fake-gateway.ts";
import { listenHere } from "../../../../tests/support/listen-here.ts";
import { silentLog } from "../../../core/log.ts";
import { openGateway } from "../../../openclaw/open-gateway.ts";
import { maxSavedBytes } from "../media/media-limits.ts";
import type { ReplyMedia } from "../reply-backend.ts";
import { listReplyMedia } from "./reply-media.ts";

const { signal } = new AbortController();

/** Hands over the one attachment of a run, whose size the gateway does not say. */
async function withAttached<T>(listener: RequestListener, use: (media: ReplyMedia) => T): Promise<Awaited<T>> {
  await using downloads = await listenHere(createServer(listener));
  await using fake = await startFakeGateway(({ method }) => {
    if (method === "artifacts.list") return { artifacts: [{ id: "a", title: "film.mp4" }] };
    return method === "artifacts.download" ? { url: "/a" } : undefined;
  });
  const connection = await openGateway({ address: { url: fake.url, from: "the test" }, log: silentLog, version: "0" });
  try {
    await connection.connected(signal);
    const url = `${downloads.origin.replace("http", "ws")}/?token=hunter2`;
    const gateway = { ...connection, address: { url, from: "the test" } };
    const run = { sessionKey: "k", runId: "r", announced: [] };
    const { media } = await listReplyMedia(gateway, run, { signal, log: silentLog });
    return await use(media[0]!);
  } finally {
    await connection.close();
  }
}

async function readAttached(listener: RequestListener): Promise<string> {
  return (await withAttached(listener, (media) => media.read(signal))).toString();
}

test("what the agent attached is fetched from the gateway", async () => {
  expect(await readAttached((_, response) => response.end("a film"))).toBe("a film");
});

test("its place is given without the secrets in the gateway's address", async () => {
  const where = await withAttached(
    () => {},
    (media) => media.where,
  );
  expect(where).toMatch(/^ws:\/\/127\.0\.0\.1:\d+\/\?token=\[redacted\] \(artifact a\)$/);
});

test("an attachment over the size limit is not fetched", async () => {
  const headers = { "content-length": maxSavedBytes + 1 };
  const read = readAttached((_, response) => response.writeHead(200, headers).flushHeaders());
  await expect(read).rejects.toMatchObject({ code: "too-large", message: "it has more than 256 MB." });
});
