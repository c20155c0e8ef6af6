import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { redact } from "../../src/core/secrets/redact.ts";
import { type Place, startHub } from "../support/cli/run-clawport.ts";
import { placeWith, runHere } from "../support/cli/test-home.ts";
import { filesUnder, findSecrets } from "../support/find-secrets.ts";
import { until } from "../support/until.ts";
import { openRogueHttp } from "./fixtures/rogue-http.ts";
import { startEngine } from "../support/start-engine.ts";
import { program } from "../setup/programs.ts";

vi.setConfig({ testTimeout: 60_000 });

const serverFile = program("tests/servers/fixtures/leaky-stdio.ts");

/** One in each place of a configuration that can hold a secret. */
const secrets = {
  variable: "value of-a variable",
  substitutedVariable: "a/value+from=outside",
  token: "token-after-a-flag-1",
  password: "correct horse battery",
  apiKey: "key-in-the-same-word",
  header: "header-of-an-argument",
  substitutedArgument: "bare-argument-from-outside",
  bare: "S3cr3tValue123x9Y",
  urlPassword: "the-pass-of-a-database",
  urlQuery: "value-in-a-query-2",
  inJson: "ntn-value-inside-json",
};
const all = Object.values(secrets);

async function leakyPlace(...names: string[]): Promise<Awaited<ReturnType<typeof placeWith>>> {
  const place = await placeWith({});
  const file = join(place.folder, "leaks.json");
  await writeFile(file, JSON.stringify(all));
  place.env["OUTSIDE_VARIABLE"] = secrets.substitutedVariable;
  place.env["OUTSIDE_ARGUMENT"] = secrets.substitutedArgument;
  const address = new URL("postgres://app@db.example/x");
  address.password = secrets.urlPassword;
  address.searchParams.set("api_key", secrets.urlQuery);
  const flags = ["--token", secrets.token, "--password", secrets.password, `--api-key=${secrets.apiKey}`];
  flags.push("--header", `X-Api-Key: ${secrets.header}`);
  const server = (when: string) => ({
    command: process.execPath,
    args: [serverFile, ...flags, "$OUTSIDE_ARGUMENT", secrets.bare, address.href],
    env: {
      LEAK_FILE: file,
      LEAK_AT: when,
      ANY_NAME: secrets.variable,
      OTHER: "$OUTSIDE_VARIABLE",
      HEADERS: JSON.stringify({ Authorization: `Bearer ${secrets.inJson}` }),
    },
  });
  await place.configure(Object.fromEntries(names.map((name) => [name, server(name)])));
  return place;
}

/** What each command prints. */
async function tell(place: Place, ...commands: string[]): Promise<Record<string, string>> {
  const said: Record<string, string> = {};
  for (const words of commands) {
    const { out, err } = await runHere(place, words.split(" "));
    said[words] = out + err;
  }
  return said;
}

const leaked = async (place: Place, name: string): Promise<void> =>
  until(async () => (await runHere(place, ["logs", name])).out.includes("leaked it all"));

test("what a server prints of its configuration comes back nowhere: no output, result, log or state file", async () => {
  await using place = { ...(await leakyPlace("leaky", "start", "list")), said: [] as string[] };
  await using hub = await startHub(place, "--port", "0", "--verbose");
  for (const name of ["leaky", "start", "list"]) await leaked(place, name);

  const token = (await readFile(hub.ready.tokenPath, "utf8")).trim();
  const viaMcp = await fetch(hub.ready.url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      authorization: `Bearer ${token}`,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "leaky__crash" } }),
  });
  const result = await viaMcp.text();
  expect(result).toContain("The server's process exited (exit code 7). Run `clawport logs leaky` to see its output.");
  expect(result).not.toContain("leaked it all");

  const perServer = ["leaky", "start", "list"].flatMap((name) =>
    ["status", "logs", "refresh", "connect"].flatMap((verb) => [`${verb} ${name}`, `${verb} ${name} --json`]),
  );
  const calls = ["call leaky__chat", "call leaky__crash", "call leaky__crash --json", "call start__crash"];
  const others = ["servers", "doctor", "audit"].flatMap((verb) => [verb, `${verb} --json`]);
  const said = await tell(place, ...calls, "call list__crash --json", "config show", ...others, ...perServer);
  expect(said["servers"]).toContain("--token [redacted] --password [redacted] --api-key=[redacted]");
  expect(said["logs leaky"]).toContain("found [redacted] in the configuration");
  expect(said["call leaky__crash"]).not.toContain("leaked it all");
  await until(() => place.said.some((text) => text.includes("leaked it all")));

  const written = await filesUnder(place.home);
  delete written[join(place.home, "clawport.json5")];
  const texts = { ...said, ...written, result, hub: place.said.join("") };
  expect(texts.hub).toContain("the server says");
  expect(findSecrets({ planted: Buffer.from(secrets.token).toString("base64") }, all)).toHaveLength(1);
  expect(findSecrets(texts, all)).toEqual([]);
  const halves = Object.values(texts).join("\n").replaceAll("\n", "");
  expect(findSecrets({ halves }, all)).toEqual([]);
  const inBasic = all.map((secret) => Buffer.from(`user:${secret}`).toString("base64url").slice(8, -4));
  expect(inBasic.filter((part) => halves.includes(part))).toEqual([]);
});

test("without a hub, the user sees why a server failed, and none of its secrets", async () => {
  await using place = await leakyPlace("start");
  const said = await tell(place, "servers", "status start --json", "doctor", "call start__x", "connect start -v");
  expect(said["servers"]).toContain("refused: [redacted]");
  expect(findSecrets(said, all)).toEqual([]);
});

test.each(["initialize", "tools/list", "tools/call"])(
  "a remote server that answers %s with what it was sent does not bring its keys into the log or the state",
  async (method) => {
    await using rogue = await openRogueHttp();
    rogue.always(method, ({ request, message, stream, response }) => {
      const seen = [request.url ?? "", ...Object.values(request.headers).map(String)];
      const texts = seen.flatMap((text) => [text, Buffer.from(text).toString("base64"), encodeURIComponent(text)]);
      const write = stream();
      write({ jsonrpc: "2.0", method: "notifications/message", params: { level: "error", data: texts } });
      write({ jsonrpc: "2.0", id: message.id, error: { code: -32603, message: texts.join(" "), data: texts } });
      response.end();
    });
    const url = `${rogue.url}?site=${encodeURIComponent(secrets.urlQuery)}`;
    const servers = { key: { url, apiKey: secrets.apiKey }, header: { url, headers: { "x-own": secrets.header } } };
    await using engine = await startEngine(servers);
    const calls = await Promise.allSettled(Object.keys(servers).map((name) => engine.call(`${name}__write`)));
    const answers = calls.map((call) =>
      call.status === "rejected" ? JSON.stringify([call.reason.message, call.reason]) : "",
    );
    expect(findSecrets({ answers: answers.join("\n") }, all)).toEqual([]);
    const said = engine.lines.map(({ message, fields }) => JSON.stringify({ message, ...(redact(fields) as object) }));
    const states = Object.keys(servers).map((name) => JSON.stringify(engine.manager.status(name)));
    expect(findSecrets({ log: said.join("\n"), state: states.join("\n") }, all)).toEqual([]);
    expect(said.join("\n")).toContain("[redacted]");
  },
);
