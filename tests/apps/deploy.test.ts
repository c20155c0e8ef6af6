import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { expect, test, vi } from "vitest";
import { Fault } from "../../src/core/fault.ts";
import { clawport, makePlace } from "../support/cli/run-clawport.ts";
import { runProgram } from "../support/cli/run-shell.ts";
import { requireDebianPackage } from "../setup/require-debian-package.ts";
import { listenHere } from "../support/listen-here.ts";
import { startProxyProcess } from "./proxy-process.ts";

vi.setConfig({ testTimeout: 60_000 });

const root = join(import.meta.dirname, "../..");
const read = (name: string) => readFile(join(root, name), "utf8");
const analyze = await requireDebianPackage("systemd");
const [dockerfile, compose, unit] = await Promise.all(
  ["Dockerfile", "compose.yaml", "deploy/clawport-proxy.service"].map(read),
);

/** The stage that is built unless another one is asked for. */
const stage = dockerfile!.slice(dockerfile!.lastIndexOf("\nFROM "));

/** The list of words behind an instruction of the image. */
function words(instruction: string): string[] {
  return JSON.parse(new RegExp(`^${instruction} (\\[.*\\])$`, "m").exec(stage)?.[1] ?? "[]");
}

/** Any free port: the default one may be in use. */
const anyPort = (args: readonly string[]) => args.map((arg) => arg.replace(/^(--port=)?8000$/, "$10"));
/** Replaces each variable with its default. */
const filled = (args: readonly string[]) => args.map((arg) => arg.replace(/\$\{\w+:-(.*)\}/, "$1"));
const tokens = { OPENCLAW_PROXY_APP_TOKEN: "a", OPENCLAW_PROXY_OPENCLAW_TOKEN: "b" };

/** The MCP address of a session that is opened under this host name; undefined if the name is refused. */
async function addressUnder(port: number, host: string): Promise<string | undefined> {
  const headers = { host, authorization: "Bearer a", "content-type": "application/json" };
  const asked = request({ port, host: "127.0.0.1", method: "POST", path: "/v1/chat/sessions", headers }).end("{}");
  const [response] = (await once(asked, "response")) as [IncomingMessage];
  return ((await json(response)) as { mcp_url?: string }).mcp_url;
}

test("the image copies existing files only, has no development dependencies, and does not run as root", async () => {
  const copied = [...dockerfile!.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, sources]) => sources!.split(" "));
  expect(copied.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  const sent = (await read(".dockerignore"))
    .split("\n")
    .flatMap((line) => (line.startsWith("!") ? [line.slice(1)] : []));
  expect(sent.toSorted()).toEqual([...new Set(copied)].toSorted());
  expect(dockerfile).toMatch(/npm prune --omit=dev[\s\S]*^USER node$/m);
});

test("the container's command starts a proxy only if both tokens are set", async () => {
  expect(stage).toContain("FROM program AS proxy");
  const args = anyPort(words("CMD"));
  expect(words("ENTRYPOINT")).toEqual(["node", "dist/cli/main.js", "proxy"]);
  await using place = await makePlace();
  expect((await clawport(place, "proxy", ...args)).exit).toBe(78);
  await using proxy = await startProxyProcess({ ...place, env: { ...place.env, ...tokens } }, ...args);
  expect(await (await fetch(`http://127.0.0.1:${proxy.ready.port}/health`)).text()).toBe("ok");
});

test("the health check succeeds only if the proxy answers", async () => {
  const [, script] = /HEALTHCHECK[^\n]*\n\s*CMD \["node", "-e", "(.*)"\]/.exec(stage) ?? [];
  const check = async (port: number) =>
    (await runProgram(process.execPath, ["-e", script!.replace("8000", String(port))], { env: process.env })).exit;
  let status = 200;
  const server = await listenHere(createServer((_, response) => void response.writeHead(status).end("ok")));
  const { port } = server;
  expect(await check(port)).toBe(0);
  status = 503;
  expect(await check(port)).toBe(1);
  await server[Symbol.asyncDispose]();
  expect(await check(port)).toBe(1);
});

test("the compose file matches the image: state, port, command, and variables that the proxy reads", async () => {
  const [, state] = /^VOLUME (\S+)$/m.exec(dockerfile!) ?? [];
  expect(compose).toContain(`"state:${state}"`);
  expect(dockerfile).toContain(`CLAWPORT_HOME=${state}`);
  expect(compose).toContain('"127.0.0.1:8000:8000"');
  const known = await read("src/hub/engine/apps/proxy-settings.ts");
  const used = [...compose!.matchAll(/^ {6}OPENCLAW_PROXY_(\w+):/gm)].map(([, name]) => name!);
  expect(used).toHaveLength(6);
  expect(used.filter((name) => !known.includes(`"${name}"`))).toEqual([]);
  const args = [...compose!.matchAll(/^ {6}- (--.*)$/gm)].map(([, arg]) => arg!);
  await using place = await makePlace();
  await using proxy = await startProxyProcess({ ...place, env: { ...place.env, ...tokens } }, ...anyPort(filled(args)));
  expect(await addressUnder(proxy.ready.port, "proxy:8000")).toMatch("http://127.0.0.1:8000/v1/mcp/");
  expect(await addressUnder(proxy.ready.port, "other:8000")).toBeUndefined();
});

test("the service's command starts a proxy that accepts its public address", async () => {
  const [, line = ""] = /^ExecStart=clawport proxy (.*)$/m.exec(unit!) ?? [];
  const [, usual = ""] = /^Environment=.*PUBLIC_URL=(\S+)$/m.exec(unit!) ?? [];
  await using place = await makePlace();
  const start = (publicUrl: string) =>
    startProxyProcess(
      { ...place, env: { ...place.env, ...tokens } },
      ...anyPort(line.split(" ")).map((word) => word.replace("${PUBLIC_URL}", publicUrl)),
    );
  {
    await using proxy = await start(usual);
    expect((await fetch(`${proxy.ready.address}/health`)).status).toBe(200);
  }
  await using proxy = await start("https://tools.example.com");
  expect(await addressUnder(proxy.ready.port, "tools.example.com")).toMatch("https://tools.example.com/v1/mcp/");
});

test("the service requires its tokens, and is not restarted if its command line or configuration is wrong", () => {
  expect(unit).toMatch(/^EnvironmentFile=\/etc\/clawport\/proxy\.env$/m);
  const [, listed = ""] = /^RestartPreventExitStatus=(.*)$/m.exec(unit!) ?? [];
  const wrong = (["usage", "untrusted", "config"] as const).map((code) => String(new Fault(code, "").row.exit));
  expect(listed.split(" ")).toEqual(wrong);
});

test("the package contains the systemd unit", async () => {
  expect(JSON.parse(await read("package.json")).files).toContain("deploy");
});

test.skipIf(analyze === undefined)(
  "systemd finds nothing wrong with the unit (needs the package systemd)",
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "proxy-unit-"));
    try {
      const file = join(folder, "clawport-proxy.service");
      await writeFile(file, unit!.replace("ExecStart=clawport", `ExecStart=${process.execPath}`));
      const { exit, out, err } = await runProgram("systemd-analyze", ["verify", file], { env: process.env });
      const complaints = (out + err).split("\n").filter((text) => text.includes("clawport-proxy.service"));
      expect({ exit, complaints }).toEqual({ exit: 0, complaints: [] });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
);
