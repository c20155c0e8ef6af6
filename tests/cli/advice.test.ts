import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import type { Examined } from "../../src/hub/doctor/finding.ts";
import { listenHere } from "../support/listen-here.ts";
import { isWindows, mainFile, type Place } from "../support/cli/run-clawport.ts";
import { runProgram } from "../support/cli/run-shell.ts";
import { type ConfiguredPlace, placeWith, shelf } from "../support/cli/test-home.ts";

vi.setConfig({ testTimeout: 120_000 });

/** `up` returns when the hub is ready. */
const wrapper = `#!/bin/sh
[ "$1" = up ] || exec "${process.execPath}" "${mainFile}" "$@"
"${process.execPath}" "${mainFile}" "$@" --port 0 --json > "$HOME/up.json" 2> "$HOME/up.err" < /dev/null &
echo $! >> "$HOME/pids"
for each in $(seq 300); do grep -q url "$HOME/up.json" && exit 0; sleep 0.1; done
exit 1
`;

const places: ConfiguredPlace[] = [];

/** A place whose shell has \`clawport\`. */
async function openShell(servers: object): Promise<ConfiguredPlace> {
  const place = await placeWith(servers);
  await mkdir(join(place.folder, "bin"));
  await writeFile(join(place.folder, "bin", "clawport"), wrapper, { mode: 0o755 });
  const env = { ...place.env, PATH: `${join(place.folder, "bin")}:${place.env["PATH"]}` };
  const shell = { ...place, env };
  places.push(shell);
  return shell;
}

afterEach(async () => {
  for (const place of places.splice(0)) {
    const pids = await readFile(join(place.folder, "pids"), "utf8").catch(() => "");
    for (const pid of pids.trim().split("\n").filter(Boolean))
      try {
        process.kill(Number(pid), "SIGKILL");
      } catch {
        // It has ended.
      }
    await place[Symbol.asyncDispose]();
  }
});

async function inShell({ env, folder }: Place, script: string): Promise<string> {
  const { out, err } = await runProgram("sh", ["-c", script], { env, cwd: folder });
  return out + err;
}

interface Report {
  readonly findings: readonly Examined[];
}

async function examine(place: Place): Promise<readonly Examined[]> {
  return (JSON.parse(await inShell(place, "clawport doctor --json 2> /dev/null")) as Report).findings;
}

/** Does what the doctor says about the complaint, to the letter, and returns what it finds afterwards. */
async function follow(place: Place, complaint: RegExp, given = "x"): Promise<readonly Examined[]> {
  const found = (await examine(place)).find(({ what }) => complaint.test(what));
  expect(found, "the doctor does not complain").toBeDefined();
  const advice = (found?.fix ?? "").replaceAll(/…|<\w+>/g, given).replace(/ {2}\(.*\)$/, "");
  await inShell(place, `{ ${advice}; } > advice.log 2>&1; clawport doctor --json > after.json 2> /dev/null`);
  return (JSON.parse(await readFile(join(place.folder, "after.json"), "utf8")) as Report).findings;
}

/** Other programs of this machine may hold the usual port. */
const complaints = (findings: readonly Examined[]): readonly string[] =>
  findings.flatMap(({ level, what }) =>
    (level === "warn" || level === "fail") && !/^port \d+ is used by/.test(what) ? [what] : [],
  );

const needsVariable = { ...shelf("one"), env: { KEY: "$SHELF_KEY" } };

interface Case {
  readonly what: string;
  readonly complaint: RegExp;
  readonly servers?: object;
  prepare?(place: Place): Promise<unknown>;
}

/** An editor that replaces one word. */
const editor = (from: string, to: string) => (place: Place) => {
  place.env["EDITOR"] = join(place.folder, "bin", "edit");
  const script = `#!/bin/sh\nfor file; do :; done\nsed -i 's#${from}#${to}#' "$file"\n`;
  return writeFile(place.env["EDITOR"], script, { mode: 0o755 });
};

const cases: readonly Case[] = [
  {
    what: "a variable, without a hub",
    complaint: /SHELF_KEY, which is not set/,
    servers: { shelf: needsVariable },
  },
  {
    what: "a variable that the hub lacks, although the shell has it",
    complaint: /SHELF_KEY, which is not set/,
    servers: { shelf: needsVariable },
    prepare: async (place) => {
      await inShell(place, "clawport up");
      place.env["SHELF_KEY"] = "only in the shell";
    },
  },
  {
    what: "a command that is not installed",
    complaint: /runs "no-such-program", which is not installed/,
    servers: { gone: { command: "no-such-program" } },
    prepare: editor("no-such-program", process.execPath),
  },
  {
    what: "a mistake in the configuration",
    complaint: /clawport\.json5:1:/,
    servers: { shelf: { ...shelf("one"), enabeld: true } },
    prepare: editor("enabeld", "enabled"),
  },
  {
    what: "a state folder that others can open",
    complaint: /other users can reach .*\/state \(mode 755\)/,
    prepare: ({ home }) => chmod(home, 0o755),
  },
  {
    what: "a token that others can read",
    complaint: /other users can reach .*mcp-token\.txt/,
    prepare: ({ home }) => writeFile(join(home, "mcp-token.txt"), `${"a".repeat(43)}\n`, { mode: 0o644 }),
  },
  {
    what: "an empty token",
    complaint: /mcp-token\.txt is empty/,
    prepare: ({ home }) => writeFile(join(home, "mcp-token.txt"), "", { mode: 0o600 }),
  },
  { what: "no hub", complaint: /the hub is not running/ },
  {
    what: "a folder's configuration that is not trusted yet",
    complaint: /The configuration in this folder is new/,
    prepare: ({ folder }) =>
      writeFile(join(folder, "clawport.json5"), JSON.stringify({ servers: { shelf: shelf("one") } })),
  },
  {
    what: "no servers",
    complaint: /no servers are configured/,
    prepare: ({ folder }) =>
      writeFile(join(folder, ".claude.json"), JSON.stringify({ mcpServers: { shelf: shelf("one") } })),
  },
];

test.skipIf(isWindows).each(cases)("the doctor's advice ends the complaint: $what", async (each) => {
  const place = await openShell(each.servers ?? {});
  await each.prepare?.(place);
  const after = await follow(place, each.complaint);
  expect(after.map(({ what }) => what).filter((what) => each.complaint.test(what))).toEqual([]);
  expect(complaints(after)).toEqual([]);
});

test.skipIf(isWindows)(
  "a server that wants a key has a word of its own, and its advice ends the complaint",
  async () => {
    const http = createServer((request, response) => {
      const isKnown = request.headers.authorization === "Bearer k-3f9a1c77e0b24d55";
      response.writeHead(isKnown ? 500 : 401).end();
    });
    await using server = await listenHere(http);
    const place = await openShell({ keyed: { url: `${server.origin}/mcp` } });
    await inShell(place, "clawport up; clawport connect keyed");
    const { servers } = JSON.parse(await inShell(place, "clawport servers --json")) as { servers: { state: string }[] };
    expect(servers).toMatchObject([{ state: "needs-key" }]);
    const fixes = (await examine(place)).filter(({ what }) => what.includes("Needs a key"));
    expect(fixes).toMatchObject([{ fix: "clawport connect keyed --api-key <key>" }]);
    expect(await inShell(place, "clawport status")).toContain("(run `clawport connect keyed --api-key <key>`)");
    const after = await follow(place, /Needs a key/, "k-3f9a1c77e0b24d55");
    expect(after.filter(({ what }) => what.includes("Needs a key"))).toEqual([]);
  },
);

test.skipIf(isWindows)(
  "what a server prints before it exits is in the status once, however often it was started",
  async () => {
    const place = await openShell({ bad: { command: process.execPath, args: ["crash.mjs"] } });
    await writeFile(join(place.folder, "crash.mjs"), 'console.error("the database is locked"); process.exit(3)');
    await inShell(place, "clawport up; clawport connect bad; clawport connect bad; clawport connect bad");
    const status = await inShell(place, "clawport status");
    expect(status.match(/the database is locked/g)).toHaveLength(1);
    expect(status).toContain("(run `clawport logs bad`)");
    expect((await inShell(place, "clawport logs bad")).match(/the database is locked/g)?.length).toBeGreaterThan(1);
  },
);

test.skipIf(isWindows)(
  "through npm, hints are as the user types them, and what others wrote is not changed",
  async () => {
    const place = await openShell({ keyed: needsVariable, off: { ...shelf("off"), enabled: false } });
    place.env["npm_lifecycle_event"] = "npx";
    expect(await inShell(place, "clawport logs")).toContain("Run `npx clawport up` to start one.");
    expect(await inShell(place, "clawport doctor")).toContain("→ npx clawport up\n");
    expect(await inShell(place, "clawport audit --help")).toContain("  npx clawport audit -n 50\n");
    expect(await inShell(place, "clawport nonsense")).toContain("see `npx clawport --help`");
    await inShell(place, "clawport connect off --enable");
    expect(await inShell(place, "clawport call off__put thing='run `clawport up`'")).toContain("run `clawport up`");
  },
);

interface Hint {
  readonly what: string;
  /** What the user types, and what the answer complains about. */
  readonly typed: string;
  readonly complaint: RegExp;
  readonly prepare?: string;
}

const hints: readonly Hint[] = [
  { what: "no hub, so no log", typed: "clawport logs", complaint: /No hub is running/ },
  { what: "no hub, so no apps", typed: "clawport apps", complaint: /No hub is running/ },
  { what: "no hub in the status", typed: "clawport status", complaint: /Not running/ },
  {
    what: "a server that was disconnected",
    prepare: "clawport up; clawport disconnect shelf",
    typed: "clawport status shelf",
    complaint: /Disconnected/,
  },
  {
    what: "a call of a server that was disconnected",
    prepare: "clawport up; clawport disconnect shelf",
    typed: "clawport call shelf__put thing=cup",
    complaint: /not connected/,
  },
];

test.skipIf(isWindows).each(hints)("what a message names can be typed as it is, and helps: $what", async (hint) => {
  const place = await openShell({ shelf: shelf("one") });
  if (hint.prepare !== undefined) await inShell(place, `{ ${hint.prepare}; } > prepare.log 2>&1`);
  const said = await inShell(place, hint.typed);
  expect(said).toMatch(hint.complaint);
  const [, command = ""] = /`(clawport [^`]+)`/.exec(said.slice(said.search(hint.complaint))) ?? [];
  expect(command).not.toBe("");
  await inShell(place, `${command} > advice.log 2>&1`);
  expect(await inShell(place, hint.typed)).not.toMatch(hint.complaint);
});
