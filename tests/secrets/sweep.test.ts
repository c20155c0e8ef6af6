import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createSignInLink } from "../../src/doors/console/sign-in-link.ts";
import { openHome } from "../../src/core/files/home.ts";
import { findRunningHub } from "../../src/hub/state/hub-record.ts";
import { openEvents, signInAt } from "../console/server/console-hub.ts";
import { commandTable } from "../../src/cli/command-table.ts";
import { mainFile, type RunningHub, startHub, startReady } from "../support/cli/run-clawport.ts";
import { runHere } from "../support/cli/test-home.ts";
import { filesUnder, findSecrets } from "../support/find-secrets.ts";
import { openRogueHttp } from "../servers/fixtures/rogue-http.ts";
import { startCollector } from "../support/otlp-collector.ts";
import { postAtSocket } from "../support/hub-socket.ts";
import { until } from "../support/until.ts";
import { echoOf, startEchoServer } from "./echo-server.ts";
import { type PlantedHome, plantHome } from "./planted-home.ts";
import { harmlessPlaces, secretPlaces, textPlaces } from "./secret-places.ts";

test("every text that a configuration can hold is known as a secret or as harmless", () => {
  const places = textPlaces();
  const unknown = places.filter(
    (place) => !secretPlaces.some((known) => known === place) && !harmlessPlaces.some((known) => known.test(place)),
  );
  // A new one belongs into `secretPlaces`, and is then planted, or into `harmlessPlaces`.
  expect(unknown).toEqual([]);
});

/** Files of the state folder that hold a secret by design, and why. */
const holders: readonly (readonly [RegExp, string])[] = [
  [/^clawport\.json5$/, "the owner wrote them there"],
  [/^mcp-token\.txt$/, "the main token itself, readable only by the owner"],
];

/** What is printed by design: a new token, once, and the main token for who asks for it. */
const printsTokens = /^token (?:show|add|reset)\b/;

/** Every command that ends by itself, in a way or two. */
const commands =
  `servers; tools; tools web__write; status; refresh; logs; doctor; audit; audit verify; pins; apps; clients;
  clients codex; clients cursor; approvals; approvals forget x; approve x; sessions; sessions show x; sessions delete x;
  config path; config check; config schema; token path; token list; token add extra; token remove extra; token show;
  import --dry-run; service status; completion bash; completion --names servers-and-tools; auth --list;
  auth client --logout; disconnect keyed; connect keyed; up --port 0; agent hello; agent /mcp; agent /tools;
  config show; config rules; node settings; tools --search write; audit --text write; usage; tools --cost`.split(
    /;\s+/,
  );

const controlVerbs = `servers.list tools.list signIns.list tokens.list approvals.list pins.list apps.list audit.read
  conversations.list configuration.place configuration.read configuration.reload doctor.findings status.read
  status.log status.attention status.series tools.search audit.search servers.importable configuration.schema
  rules.list machine.read agent.read clients.list`.split(/\s+/);

describe("in a home with a secret in every place that can hold one", () => {
  const texts: Record<string, string> = {};
  const printed: string[] = [];
  const cleanUp: AsyncDisposable[] = [];
  let home: PlantedHome;
  let hub: RunningHub;
  let token: string;
  let seenByPeer: string;

  const post = async (url: string, body: object, as = token): Promise<string> => {
    const response = await fetch(url, {
      method: "POST",
      headers: {
        authorization: `Bearer ${as}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      },
      body: JSON.stringify(body),
    });
    return `${response.status} ${[...response.headers].join(" ")} ${await response.text()}`;
  };
  const note = (what: string, text: string): void => void (texts[what] = text);

  beforeAll(async () => {
    const mcp = await openRogueHttp();
    const [failing, refusing] = [await startEchoServer(500), await startEchoServer(401)];
    const collector = await startCollector();
    mcp.always("tools/call", ({ request, message, stream, response }) => {
      const echo = echoOf(request, JSON.stringify(message));
      const write = stream();
      write({ jsonrpc: "2.0", method: "notifications/message", params: { level: "error", data: echo } });
      write({ jsonrpc: "2.0", id: message.id, error: { code: -32603, message: echo.join(" "), data: echo } });
      response.end();
    });
    home = await plantHome({ mcp: mcp.url, failing: failing.url, refusing: refusing.url, collector: collector.url });
    cleanUp.push(home, mcp, failing, refusing, collector);
    hub = await startHub({ ...home, said: printed }, "--port", "0", "--verbose");
    cleanUp.push(hub);
    token = (await readFile(hub.ready.tokenPath, "utf8")).trim();
    await until(async () => !/Connecting|Queued/.test((await runHere(home, ["servers"])).out));

    await runCommands();
    await askHub();
    await askConsole();
    await askProxy();
    await startWithoutNats();
    await until(() => collector.spans().length > 0 && collector.received.some(({ path }) => path === "/v1/metrics"));
    note("traces and metrics sent", JSON.stringify(collector.received.map(({ path, body }) => [path, body])));
    note("what the hub printed", printed.join(""));
    seenByPeer = refusing.seen.join("\n");
  }, 120_000);

  afterAll(async () => {
    for (const each of cleanUp.toReversed()) await each[Symbol.asyncDispose]();
  });

  async function runCommands(): Promise<void> {
    const names = Object.keys(
      (JSON.parse(await readFile(join(home.home, "clawport.json5"), "utf8")) as { servers: object }).servers,
    );
    const perServer = names.flatMap((name) =>
      ["status", "logs", "refresh", "connect", "tools"].map((verb) => `${verb} ${name}`),
    );
    const lines = [
      ...commands,
      ...["client", "signing", "workload", "enterprise", "refusing", "web", "leaky"].map((name) => `auth ${name}`),
      ...["chat", "crash"].map((tool) => `call leaky__${tool}`),
      ...["start__x", "list__x", "web__write", "keyed__write", "failing__x"].map((tool) => `call ${tool}`),
      `agent listen --file ${home.audio}`,
      `agent listen --file ${home.audio} --config ${home.otherConfig}`,
      `config check --config ${home.natsConfig}`,
      `config show --config ${home.otherConfig}`,
      `doctor --config ${home.natsConfig}`,
    ];
    for (const { name } of commandTable) note(`${name} --help`, (await runHere(home, [name, "--help"])).out);
    for (const line of perServer) note(line, (await runHere(home, [...line.split(" "), "--verbose", "--json"])).out);
    for (const line of lines) {
      for (const flags of [[], ["--json"], ["--verbose"]]) {
        const { out, err } = await runHere(home, [...line.split(" "), ...flags]);
        if (!printsTokens.test(line)) note([line, ...flags].join(" "), out + err);
      }
    }
  }

  async function askHub(): Promise<void> {
    const { url } = hub.ready;
    const at = (path: string): string => new URL(path, url).href;
    const headers = { authorization: `Bearer ${token}` };
    for (const path of ["/", "/metrics", "/health", "/nothing"])
      note(`GET ${path}`, await (await fetch(at(path), { headers })).text());
    for (const verb of controlVerbs)
      note(`control ${verb}`, (await postAtSocket(home.home, `/control/${verb}`, {})).text);
    const rpc = (method: string, params: object) => post(url, { jsonrpc: "2.0", id: 1, method, params });
    note("tools/list", await rpc("tools/list", {}));
    for (const name of ["leaky__crash", "web__write", "failing__x", "keyed__write"])
      note(`tools/call ${name}`, await rpc("tools/call", { name, arguments: {} }));
    const added = await runHere(home, ["token", "add", "searching", "--surface", "search", "--json"]);
    const search = { name: "search_tools", arguments: { query: "write something down" } };
    const asked = { jsonrpc: "2.0", id: 1, method: "tools/call", params: search };
    note("search_tools", await post(url, asked, (JSON.parse(added.out) as { token: string }).token));
    const order = (given: object) => rpc("tools/call", { name: "order_openclaw", arguments: given });
    note("order", await order({ message: "hello" }));
    note("order /mcp logs", await order({ message: "/mcp logs leaky" }));
    const data = (await readFile(home.audio)).toString("base64");
    note(
      "order with audio",
      await order({ message: "listen", files: [{ mimeType: "audio/mpeg", data, name: "a.mp3" }] }),
    );
  }

  async function askConsole(): Promise<void> {
    const state = await openHome(home.home);
    const running = await findRunningHub(state);
    const browser = await signInAt((await createSignInLink({ home: state, hub: running!, terminal: true })).url);
    using events = await openEvents(browser);
    for (const verb of controlVerbs) note(`console ${verb}`, (await browser.post(verb)).text);
    const { text = "" } = await browser.ask<{ text?: string }>("configuration.read");
    note("console configuration.validate", (await browser.post("configuration.validate", { text })).text);
    note("console clients.preview", (await browser.post("clients.preview", { id: "cursor" })).text);
    for (const tool of ["leaky__crash", "web__write", "failing__x", "keyed__write"])
      note(`console call ${tool}`, (await browser.post("call", { tool, arguments: {} })).text);
    const added = { command: process.execPath, args: ["-e", "process.exit(1)", "--token", "x"], name: "added" };
    note("console servers.add", (await browser.post("servers.add", added)).text);
    await until(() => events.find("config").length > 0 && events.find("audit").length > 0);
    note("console events", JSON.stringify(events.events));
  }

  async function askProxy(): Promise<void> {
    const said: string[] = [];
    const place = { ...home.project, said };
    await using proxy = await startReady<{ readonly address: string }>(
      place,
      "proxy",
      "--port",
      "0",
      "--memory",
      "--json",
    );
    for (const path of ["/", "/health", "/metrics", "/v1/sessions", "/openapi.json"])
      note(`proxy ${path}`, await (await fetch(new URL(path, proxy.ready.address))).text());
    note("what the proxy printed", said.join(""));
  }

  /** A hub whose NATS can't be reached: until it says so. */
  async function startWithoutNats(): Promise<void> {
    const env = { ...home.env, CLAWPORT_HOME: join(home.folder, "nats") };
    const args = ["up", "--port", "0", "--verbose", "--config", home.natsConfig];
    const child = spawn(process.execPath, [mainFile, ...args], { env, cwd: home.folder });
    const said: string[] = [];
    for (const output of [child.stdout, child.stderr]) output.on("data", (chunk) => said.push(String(chunk)));
    const ended = once(child, "exit");
    await Promise.race([ended, once(child.stdout, "data"), once(child.stderr, "data")]);
    child.kill("SIGKILL");
    await ended;
    note("what a hub without its NATS printed", said.join(""));
  }

  test("no output, answer, trace or metric shows one", () => {
    const secrets = [...home.secrets.values(), token];
    // They were there to be shown.
    const shown = [
      "logs leaky",
      "call web__write",
      "tools/call keyed__write",
      "control configuration.read",
      "console configuration.read",
      "console call web__write",
    ];
    expect(shown.filter((place) => !texts[place]?.includes("[redacted]"))).toEqual([]);
    expect(texts["what the hub printed"]).toContain("[redacted]");
    expect(texts["GET /metrics"]).toContain("clawport_");
    expect(findSecrets(texts, secrets)).toEqual([]);
    const joined = Object.values(texts).join("\n").replaceAll("\n", "");
    expect(findSecrets({ joined }, secrets)).toEqual([]);
  });

  test("no file of the state folder holds one, except those that are made to", async () => {
    const written = Object.entries(await filesUnder(home.home)).map(([path, text]) => [
      relative(home.home, path),
      text,
    ]);
    const others = written.filter(([path]) => !holders.some(([holder]) => holder.test(path ?? "")));
    expect(
      findSecrets(Object.fromEntries(others) as Record<string, string>, [...home.secrets.values(), token]),
    ).toEqual([]);
    // Each of these does hold one.
    for (const [holder] of holders) {
      const held = written.filter(([path]) => holder.test(path ?? ""));
      expect(
        findSecrets(Object.fromEntries(held) as Record<string, string>, [...home.secrets.values(), token]),
      ).not.toEqual([]);
    }
  });

  test("a secret is planted in every place, and in use", () => {
    const planted = [...home.secrets.keys()];
    const inUse = [...home.secrets].filter(([, secret]) => findSecrets({ seenByPeer }, [secret]).length > 0);
    expect(inUse.map(([where]) => where)).toEqual(
      expect.arrayContaining(["servers.*.apiKey", "servers.*.auth.assertionFile", "agent.model.apiKey"]),
    );
    expect(secretPlaces.filter((place) => !planted.some((where) => where.startsWith(place)))).toEqual([]);
    expect(new Set(home.secrets.values()).size).toBe(home.secrets.size);
  });
});
