import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { createSafeFetch, type SafeFetchOptions } from "./safe-fetch.ts";

const far = new URL("https://mcp.example.com/mcp");
const near = new URL("http://127.0.0.1:1/mcp");

async function serve(handle: RequestListener) {
  const server = createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function fetchFrom(configured: URL, more: Partial<SafeFetchOptions> = {}) {
  return createSafeFetch({ configured, env: {}, ...more });
}

test.each([
  "https://169.254.169.254/latest/meta-data",
  "https://[::ffff:169.254.169.254]/",
  "https://2852039166/",
  "https://10.0.0.5/token",
  "https://192.168.1.1/.well-known/oauth-authorization-server",
  "https://[fd00::1]/",
  "https://127.0.0.1:8443/",
  "https://localhost:8443/",
  "https://0.0.0.0/",
])("a server elsewhere can't send us to %s", async (address) => {
  await expect(fetchFrom(far)(address)).rejects.toMatchObject({ code: "denied" });
});

test.each(["169.254.169.254", "10.0.0.5", "127.0.0.1", "fd00::1"])(
  "a name that resolves to %s is refused when it is connected to",
  async (address) => {
    const resolve = async (host: string) =>
      host === "sneaky.example.com" ? ["93.184.215.14", address] : ["93.184.215.14"];
    await expect(fetchFrom(far, { resolve })("https://sneaky.example.com/")).rejects.toMatchObject({ code: "denied" });
  },
);

test("a name that changes between two lookups is judged at each", async () => {
  await using server = await serve((_, response) => response.end("ok"));
  let answers = ["127.0.0.1"];
  const resolve = async () => answers;
  const safe = fetchFrom(near, { resolve });
  expect(await (await safe(`http://a.localhost:${server.port}/`)).text()).toBe("ok");
  answers = ["10.0.0.1"];
  await expect(safe(`http://a.localhost:${server.port}/`)).rejects.toMatchObject({ code: "denied" });
});

test.each([
  "http://as.example.com/token",
  "http://127.0.0.1:9/token",
  "ftp://as.example.com/",
  "https://u:p@as.example.com/",
])("a server elsewhere can't have us use %s", async (address) => {
  await expect(fetchFrom(far)(address)).rejects.toMatchObject({ code: "denied" });
});

test("a server on this machine can't have us use plain http elsewhere", async () => {
  await expect(fetchFrom(near)("http://as.example.com/token")).rejects.toMatchObject({ code: "denied" });
});

test("a server in a private network may have its authorization server there, but not at reserved addresses", async () => {
  const resolve = async (host: string) => (host === "bad.corp.example" ? ["169.254.169.254"] : ["10.255.255.1"]);
  const stop = AbortSignal.abort();
  const safe = fetchFrom(new URL("https://mcp.corp.example/mcp"), { resolve });
  await expect(safe("https://bad.corp.example/")).rejects.toMatchObject({ code: "denied" });
  await expect(safe("https://as.corp.example/", { signal: stop })).rejects.toMatchObject({ code: "cancelled" });
});

test("an address of the configuration may be where the server is not", async () => {
  await using server = await serve((_, response) => response.end("ok"));
  const resolve = async (host: string) => (host === "mcp.example.com" ? ["93.184.215.14"] : ["127.0.0.1"]);
  const without = fetchFrom(far, { resolve });
  await expect(without(`https://as.corp.example:${server.port}/`)).rejects.toMatchObject({ code: "denied" });
  const also = fetchFrom(far, { resolve, also: [new URL("https://as.corp.example/")] });
  // It is let through to the connection, where plain http is spoken to it: no TLS, no answer.
  await expect(also(`https://as.corp.example:${server.port}/`)).rejects.toMatchObject({ code: "unavailable" });
});

test("redirects are followed to the third, each judged, without the credentials for another origin", async () => {
  const seen: (string | undefined)[] = [];
  await using other = await serve((request, response) => {
    seen.push(request.headers.authorization);
    response.end("there");
  });
  await using first = await serve((request, response) => {
    seen.push(request.headers.authorization);
    const step = Number(request.url?.slice(1));
    const location = step > 0 ? `/${step - 1}` : `${other.url}/`;
    response.writeHead(302, { location }).end();
  });
  const safe = fetchFrom(near);
  const headers = { authorization: "Bearer abc" };
  expect(await (await safe(`${first.url}/2`, { headers })).text()).toBe("there");
  expect(seen).toEqual(["Bearer abc", "Bearer abc", "Bearer abc", undefined]);
  await expect(safe(`${first.url}/3`)).rejects.toMatchObject({ code: "denied" });
});

test("a redirect to where we may not go is not followed", async () => {
  await using server = await serve((_, response) =>
    response.writeHead(302, { location: "https://169.254.169.254/" }).end(),
  );
  await expect(fetchFrom(near)(server.url)).rejects.toMatchObject({ code: "denied" });
});

test("what has a body is never sent on", async () => {
  let hits = 0;
  await using other = await serve((_, response) => void (hits++, response.end()));
  await using server = await serve((_, response) => response.writeHead(307, { location: other.url }).end());
  const response = await fetchFrom(near)(server.url, { method: "POST", body: "code=1" });
  expect([response.status, hits]).toEqual([307, 0]);
});

test("an answer without end is cut off", async () => {
  await using server = await serve((_, response) => {
    const more = (): void => {
      while (response.write("x".repeat(65_536)));
    };
    response.on("drain", more);
    more();
  });
  await expect(fetchFrom(near, { maxBytes: 100_000 })(server.url)).rejects.toMatchObject({ code: "too-large" });
});

test("an answer that does not come is given up", async () => {
  await using server = await serve((_, response) => void response.write("{"));
  await expect(fetchFrom(near, { timeoutMs: 50 })(server.url)).rejects.toMatchObject({ code: "timeout" });
});

test("a form goes out and its answer comes back as it is", async () => {
  await using server = await serve((request, response) => {
    let body = "";
    request.on("data", (chunk) => (body += chunk));
    request.on("end", () => {
      response.writeHead(201, { "content-type": "application/json", "set-cookie": ["a=1", "b=2"] });
      response.end(JSON.stringify({ method: request.method, type: request.headers["content-type"], body }));
    });
  });
  const body = new URLSearchParams({ grant_type: "refresh_token" });
  const response = await fetchFrom(near)(server.url, { method: "POST", body });
  expect(response.status).toBe(201);
  expect(response.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
  expect(await response.json()).toEqual({
    method: "POST",
    type: "application/x-www-form-urlencoded;charset=UTF-8",
    body: "grant_type=refresh_token",
  });
});

test("a server that is not there is told as unavailable", async () => {
  await expect(fetchFrom(near)("http://127.0.0.1:1/")).rejects.toMatchObject({ code: "unavailable" });
});
