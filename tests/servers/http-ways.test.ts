import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, request as requestHttp } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { listenHere } from "../support/listen-here.ts";
import { textOf } from "../support/start-guard.ts";
import { makeCertificates } from "./fixtures/make-certificates.ts";
import { openRogueHttp, type RogueHttp } from "./fixtures/rogue-http.ts";
import { startEngine } from "../support/start-engine.ts";

test("headers and the key go out with every request, and no Origin unless one is set", async () => {
  await using rogue = await openRogueHttp();
  await using own = await openRogueHttp();
  await using engine = await startEngine({
    rogue: { url: rogue.url, apiKey: "key-1", headers: { "X-Team": "blue" } },
    own: { url: own.url, headers: { Origin: "https://example.com" } },
  });
  await engine.call("rogue__write");
  expect(rogue.seen.length).toBeGreaterThan(3);
  for (const { headers } of rogue.seen)
    expect(headers).toMatchObject({ authorization: "Bearer key-1", "x-team": "blue" });
  expect(rogue.seen.some(({ headers }) => "origin" in headers)).toBe(false);
  expect(own.seen.every(({ headers }) => headers.origin === "https://example.com")).toBe(true);
  expect(engine.manager.status("rogue").auth).toBe("API Key");
});

test("a server with a certificate of its own authority that wants one of ours is reached with both, and not without", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "clawport-tls-"));
  const { ca, server, client } = await makeCertificates(folder);
  await using rogue = await openRogueHttp();
  const tls = {
    key: readFileSync(server.key),
    cert: readFileSync(server.cert),
    ca: readFileSync(ca),
    requestCert: true,
  };
  const https = createHttpsServer(tls, forwardTo(rogue));
  await using listening = await listenHere(https);
  const url = `https://127.0.0.1:${listening.port}/mcp`;
  await using engine = await startEngine({
    full: { url, tls: { ca, ...client } },
    nameless: { url, tls: { ca } },
    trusting: { url, tls: client },
  });
  expect(textOf(await engine.call("full__write"))).toBe("write ran");
  expect(engine.manager.status("nameless").state).toBe("reconnecting");
  expect(engine.manager.status("trusting").lastError).toMatch(/can't be reached.*(UNABLE_TO|SELF_SIGNED)/);
  await rm(folder, { recursive: true });
});

test("a file of the tls settings that is not there is named", async () => {
  await using engine = await startEngine({ rogue: { url: "https://127.0.0.1:1/", tls: { ca: "/no/such.pem" } } });
  expect(engine.manager.status("rogue").lastError).toContain("/no/such.pem");
});

test("a proxy of the environment is used for what is far, and not for this machine", async () => {
  await using rogue = await openRogueHttp();
  const tunnels: string[] = [];
  const proxy = createServer((_request, response) => void response.writeHead(500).end("not for the proxy"));
  proxy.on("connect", ({ url = "" }, socket) => {
    tunnels.push(url);
    socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
  });
  await using listening = await listenHere(proxy);
  const address = listening.origin;
  const env = { PATH: process.env.PATH, HTTP_PROXY: address, HTTPS_PROXY: address, NO_PROXY: "near.invalid" };
  const servers = {
    near: { url: rogue.url },
    far: { url: "https://mcp.invalid/mcp" },
    not: { url: "https://near.invalid/" },
  };
  await using engine = await startEngine(servers, { env });
  expect(textOf(await engine.call("near__write"))).toBe("write ran");
  expect(new Set(tunnels)).toEqual(new Set(["mcp.invalid:443"]));
  expect(engine.manager.status("far").state).toBe("reconnecting");
});

function forwardTo(rogue: RogueHttp): Parameters<typeof createServer>[1] & object {
  return (request, response) => {
    const { method, headers, url } = request;
    const onward = requestHttp({ port: rogue.port, path: url, method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    onward.on("error", () => response.destroy());
    request.pipe(onward);
  };
}
