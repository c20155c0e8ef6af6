import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
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

/** Takes connections, notes their first bytes, and says nothing to them. */
async function listenTo() {
  const heard: string[] = [];
  const server = createTcpServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", (chunk) => {
      heard.push(chunk.toString("latin1"));
      socket.destroy();
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    heard,
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => void (await new Promise((resolve) => server.close(resolve))),
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

test("a server on this machine may have its authorization server there, but not at reserved addresses", async () => {
  await using there = await listenTo();
  const resolve = async (host: string) => (host === "bad.corp.example" ? ["169.254.169.254"] : ["127.0.0.1"]);
  const safe = fetchFrom(new URL("https://mcp.corp.example/mcp"), { resolve });
  await expect(safe("https://bad.corp.example/")).rejects.toMatchObject({ code: "denied" });
  await expect(safe(`https://as.corp.example:${there.port}/`)).rejects.toMatchObject({ code: "unavailable" });
  expect(there.heard).toHaveLength(1);
});

test("a server that is both on this machine and elsewhere opens nothing here, unless it is named besides", async () => {
  await using there = await listenTo();
  const resolve = async (host: string) => (host === "mcp.example.com" ? ["127.0.0.1", "10.0.0.1"] : ["127.0.0.1"]);
  const address = `https://as.example.com:${there.port}/`;
  await expect(fetchFrom(far, { resolve })(address)).rejects.toMatchObject({ code: "denied" });
  await expect(fetchFrom(far, { resolve, trustedUrls: [far] })(address)).rejects.toMatchObject({ code: "unavailable" });
  expect(there.heard).toHaveLength(1);
});

test("a server whose name is not found the first time is looked for again", async () => {
  await using there = await listenTo();
  let isUp = false;
  const resolve = async (host: string) => {
    if (host === "mcp.corp.example" && !isUp) throw new Error("no resolver");
    return ["127.0.0.1"];
  };
  const safe = fetchFrom(new URL("https://mcp.corp.example/mcp"), { resolve });
  const address = `https://as.corp.example:${there.port}/`;
  await expect(safe(address)).rejects.toMatchObject({ code: "denied" });
  isUp = true;
  await expect(safe(address)).rejects.toMatchObject({ code: "unavailable" });
});

test("a proxy is asked for names that nobody here knows", async () => {
  await using proxy = await listenTo();
  const env = { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` };
  const resolve = () => Promise.reject(new Error("unknown"));
  await expect(fetchFrom(far, { env, resolve })("https://as.example.com/")).rejects.toMatchObject({
    code: "unavailable",
  });
  expect(proxy.heard).toEqual([expect.stringMatching(/^CONNECT as\.example\.com:443 /)]);
});

test.each([
  ["it is for others", (proxy: string) => ({ HTTPS_PROXY: proxy, NO_PROXY: "as.example.com" })],
  ["it is for plain http", (proxy: string) => ({ HTTP_PROXY: proxy })],
])("past a proxy, since %s, the connection goes to the addresses that were judged", async (_, envOf) => {
  await using proxy = await listenTo();
  await using there = await listenTo();
  const env = envOf(`http://127.0.0.1:${proxy.port}`);
  const also = [new URL("https://localhost/")];
  const address = `https://as.example.com:${there.port}/`;
  const safe = fetchFrom(far, { env, trustedUrls: also, resolve: async () => ["127.0.0.1"] });
  await expect(safe(address)).rejects.toMatchObject({ code: "unavailable" });
  expect([there.heard.length, proxy.heard.length]).toEqual([1, 0]);
  const lost = fetchFrom(far, { env, trustedUrls: also, resolve: () => Promise.reject(new Error("unknown")) });
  await expect(lost(address)).rejects.toMatchObject({ code: "unavailable" });
  expect([there.heard.length, proxy.heard.length]).toEqual([1, 0]);
});

test("an address of the configuration may be where the server is not", async () => {
  await using server = await serve((_, response) => response.end("ok"));
  const resolve = async (host: string) => (host === "mcp.example.com" ? ["93.184.215.14"] : ["127.0.0.1"]);
  const without = fetchFrom(far, { resolve });
  await expect(without(`https://as.corp.example:${server.port}/`)).rejects.toMatchObject({ code: "denied" });
  const also = fetchFrom(far, { resolve, trustedUrls: [new URL("https://as.corp.example/")] });
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

test("what was given up while its name was looked up is not sent when the name is found", async () => {
  const heard: (string | undefined)[] = [];
  await using server = await serve((request, response) => void (heard.push(request.url), response.end()));
  const found = Promise.withResolvers<readonly string[]>();
  const slow = fetchFrom(near, { timeoutMs: 20, resolve: () => found.promise });
  const late = slow(`http://localhost:${server.port}/late`, { method: "POST", body: "refresh_token=1" });
  await expect(late).rejects.toMatchObject({ code: "timeout" });
  found.resolve(["127.0.0.1"]);
  for (const turn of ["/1", "/2", "/3"]) await fetchFrom(near)(`${server.url}${turn}`);
  expect(heard).toEqual(["/1", "/2", "/3"]);
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
