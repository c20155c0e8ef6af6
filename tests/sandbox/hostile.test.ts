import { readdir, readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { clawport } from "../support/cli/run-clawport.ts";
import { allowedWays, noWay } from "../servers/namespace-ways.ts";
import { pidsRunning } from "../support/running-commands.ts";
import { until } from "../support/until.ts";
import { attempts } from "./fixtures/attempts.ts";
import { type HostileHub, openHostileHub } from "./open-hostile-hub.ts";

const nobody = { uid: 65_534, gid: 65_534 };
const isRoot = process.getuid?.() === 0;
const users = isRoot ? [{ name: "root" }, { name: "a plain user", user: nobody }] : [{ name: "a plain user" }];
const makers = await allowedWays();
const cases = makers.flatMap((maker) => users.map((each) => ({ user: undefined, ...each, maker })));

/** The columns of the table, and the settings that they are about. */
const levels = { off: { sandbox: "off", pidNamespace: "off" }, state: {}, on: { sandbox: "on" } };
type Level = keyof typeof levels;

/** The table of the documentation: for each attempt, what comes of it under each setting. */
async function readTable(): Promise<ReadonlyMap<string, Readonly<Record<Level, string>>>> {
  const text = await readFile(join(import.meta.dirname, "../../docs/sandbox.md"), "utf8");
  const rows = text.split("\n").flatMap((line) => {
    const cells = line.split("|").map((cell) => cell.trim());
    return /^(?:refused|possible|depends)\b/.test(cells[2] ?? "") ? [cells.slice(1, -1)] : [];
  });
  return new Map(rows.map(([what = "", off = "", state = "", on = ""]) => [what, { off, state, on }]));
}

/** What the cell says for this user. */
function meant(cell = "", user: object | undefined): string {
  const isPlain = user !== undefined || !isRoot;
  return cell === "possible as root" ? (isPlain ? "refused" : "possible") : cell;
}

async function differences(hub: HostileHub, level: Level, user: object | undefined): Promise<readonly string[]> {
  const table = await readTable();
  const found: string[] = [];
  for (const what of Object.keys(attempts)) {
    const outcome = await hub.attempt(level, what);
    const said = meant(table.get(what)?.[level], user);
    if (!said.startsWith("depends") && outcome.split(" ")[0] !== said)
      found.push(`${what}: ${outcome} instead of ${said}`);
  }
  return found;
}

test("every attempt of the hostile server is in the table of the documentation, and every row is tried", async () => {
  expect([...(await readTable()).keys()].toSorted()).toEqual(Object.keys(attempts).toSorted());
});

describe.each(cases)("a hostile server of $name, caged by $maker.name", ({ user, maker }) => {
  test("gets as far as the documentation says, and not further", { timeout: 120_000 }, async () => {
    await using hub = await openHostileHub({ user, path: maker.path, servers: () => levels });
    const possible = maker.name === "bubblewrap" ? (["off", "state", "on"] as const) : (["off", "state"] as const);
    for (const level of possible) expect(await differences(hub, level, user)).toEqual([]);
    const { out } = await clawport(hub.place, "status", "state");
    expect(out).toContain("local ports and abstract sockets stay open");
  });

  test("gets the bus and the display if its variables name them, and nothing else", { timeout: 60_000 }, async () => {
    await using hub = await openHostileHub({
      user,
      path: maker.path,
      servers: ({ bus }) => ({
        state: { env: { PATH: "/usr/bin:/bin", DISPLAY: ":1", DBUS_SESSION_BUS_ADDRESS: `unix:path=${bus},guid=1` } },
      }),
    });
    expect(await hub.attempt("state", "talk to the session bus")).toBe("possible");
    expect(await hub.attempt("state", "open the display")).toBe("possible");
    expect(await hub.attempt("state", "read the hub's token")).toMatch("refused");
  });

  test("has its loader's variables, which what makes its cage has not", { timeout: 60_000 }, async () => {
    await using hub = await openHostileHub({
      user,
      path: maker.path,
      servers: ({ outside }) => {
        const env = { PATH: "/usr/bin:/bin", LD_DEBUG: "libs", LD_DEBUG_OUTPUT: join(outside, "loaded") };
        return { state: { env }, ...(maker.name === "bubblewrap" && { on: { env, sandbox: { write: [outside] } } }) };
      },
    });
    const servers = maker.name === "bubblewrap" ? ["state", "on"] : ["state"];
    for (const server of servers) expect(await hub.shell(server, "echo $LD_DEBUG")).toBe("libs");
    const texts = (await readdir(hub.facts.outside)).map((name) => readFile(join(hub.facts.outside, name), "latin1"));
    const loaded = (await Promise.all(texts)).join("").matchAll(/initialize program: (\S+)/g);
    const programs = new Set([...loaded].map(([, path = ""]) => basename(path)));
    expect(programs).toContain("node");
    for (const each of ["bwrap", "unshare", "setpriv", "setsid", "mount"]) expect(programs).not.toContain(each);
  });

  test("reads a configuration that was given by its path, and can't change it", { timeout: 60_000 }, async () => {
    const isBubblewrap = maker.name === "bubblewrap";
    await using hub = await openHostileHub({
      user,
      path: maker.path,
      isConfigGiven: true,
      servers: ({ config }) => ({
        state: {},
        ...(isBubblewrap && { on: { sandbox: { write: [dirname(dirname(config))] } } }),
      }),
    });
    const { config } = hub.facts;
    const before = await readFile(config, "utf8");
    for (const server of isBubblewrap ? ["state", "on"] : ["state"]) {
      expect(await hub.shell(server, `head -c 10 ${config}`)).toContain("servers");
      for (const change of [`echo x >> ${config}`, `rm ${config}`, `mv ${dirname(config)} ${dirname(config)}-moved`])
        expect(await hub.shell(server, `${change} && echo changed`)).not.toContain("changed");
    }
    expect(await readFile(config, "utf8")).toBe(before);
  });

  test("is gone, with everything it was in, when the hub is killed with SIGKILL", { timeout: 60_000 }, async () => {
    const hub = await openHostileHub({ user, path: maker.path, servers: () => ({ state: {} }) });
    await hub.attempt("state", "read the hub's token");
    expect(pidsRunning(hub.facts.marker).length).toBeGreaterThan(0);
    await hub[Symbol.asyncDispose]();
    await until(() => pidsRunning(hub.facts.marker).length === 0);
  });
});

test.runIf(process.platform === "linux")(
  "where the system allows no cage, the server runs, and `status` and `doctor` say so",
  { timeout: 60_000 },
  async () => {
    const { path } = await noWay();
    await using hub = await openHostileHub({ path, servers: () => ({ state: {}, sudo: { command: "sudo" } }) });
    expect(await hub.attempt("state", "read the hub's token")).toBe("possible");
    const status = await clawport(hub.place, "status");
    expect(status.out).toContain("none: bubblewrap is not installed. Run `clawport doctor` to see what helps.");
    expect(status.out).toContain("none: the command needs setuid programs.");
    const doctor = await clawport(hub.place, "doctor");
    expect(doctor.out).toContain("servers are not kept from Clawport's state folder");
    expect(doctor.out).toContain("apt install bubblewrap");
  },
);
