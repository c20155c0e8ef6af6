import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, symlinkSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { clawport } from "../support/cli/run-clawport.ts";
import { allowedWays } from "../servers/namespace-ways.ts";
import { listenHere } from "../support/listen-here.ts";
import { pidsRunning } from "../support/running-commands.ts";
import { until } from "../support/until.ts";
import { openHostileHub } from "./open-hostile-hub.ts";

const nobody = { uid: 65_534, gid: 65_534 };
const isRoot = process.getuid?.() === 0;
const users = isRoot ? [{ name: "root" }, { name: "a plain user", user: nobody }] : [{ name: "a plain user" }];
const makers = await allowedWays();
const bubblewrap = makers.find(({ name }) => name === "bubblewrap");
const cases =
  bubblewrap === undefined ? [] : users.map((each) => ({ user: undefined, ...each, path: bubblewrap.path }));

/** The processes in a network namespace, by the name that the kernel has for it. */
function pidsInNetwork(network: string): readonly string[] {
  return readdirSync("/proc").filter((name) => {
    try {
      return /^\d+$/.test(name) && readlinkSync(`/proc/${name}/ns/net`) === network;
    } catch {
      return false;
    }
  });
}

describe.each(cases)("a server of $name in a cage of its own", ({ user, path }) => {
  test("has an empty home, keeps what it writes there, and sees what it was given", { timeout: 60_000 }, async () => {
    await using hub = await openHostileHub({
      user,
      path,
      servers: ({ keyFile, outside }) => ({
        on: { sandbox: "on" },
        given: { sandbox: { read: [keyFile], write: [outside] } },
        home: { sandbox: { write: ["~"] } },
      }),
    });
    const { keyFile, outside, state } = hub.facts;
    expect(await hub.shell("on", "ls -A ~")).toBe("nothing");
    await hub.shell("on", "echo kept > ~/note; echo gone > /tmp/note");
    expect(readFileSync(join(state, "sandbox", "on", "note"), "utf8")).toBe("kept\n");
    expect(await hub.shell("on", `touch /usr/x ${outside}/x; id -u`)).toMatch(/Read-only file system|cannot touch/);

    expect(await hub.shell("given", `cat ${keyFile}`)).toBe("a private key");
    expect(await hub.shell("given", `echo x > ${keyFile}`)).toContain("Read-only file system");
    expect(await hub.shell("given", `echo mine > ${outside}/file; cat ${outside}/file`)).toBe("mine");
    expect(readFileSync(join(outside, "file"), "utf8")).toBe("mine\n");
    expect(await hub.attempt("given", "read the hub's token")).toMatch("refused");

    // The whole home folder was given, and the state folder is in it.
    expect(await hub.shell("home", `cat ${keyFile}`)).toBe("a private key");
    for (const what of [
      "read the hub's token",
      "read another server's own folder",
      "use the hub's socket",
      "put another state folder in its place",
    ])
      expect(await hub.attempt("home", what)).toMatch("refused");

    expect((await clawport(hub.place, "servers", "-v")).out).toContain(
      "\non: sandbox reads nothing, writes nothing, no network\n",
    );
    expect((await clawport(hub.place, "servers")).out).not.toContain(": sandbox ");
    const { out } = await clawport(hub.place, "status", "given");
    expect(out).toContain("reads ~/.ssh/id_ed25519 ~/elsewhere, writes ~/elsewhere, no network");
  });

  test("does not choose by links in its folders what it sees", { timeout: 60_000 }, async () => {
    await using hub = await openHostileHub({
      user,
      path,
      servers({ outside, keyFile }) {
        const [sub, fixed] = [join(outside, "sub"), join(outside, "fixed")];
        symlinkSync(dirname(keyFile), sub);
        symlinkSync(keyFile, join(outside, ".env"));
        mkdirSync(fixed);
        return {
          read: { sandbox: { read: [sub], write: [outside] } },
          write: { sandbox: { write: [outside, sub] } },
          cwd: { sandbox: { write: [outside] }, cwd: sub },
          file: { sandbox: "on", cwd: outside, env: { NODE_OPTIONS: "--env-file=.env" } },
          fixed: { sandbox: { read: [fixed], write: [outside] } },
        };
      },
    });
    for (const name of ["read", "write", "cwd", "file"])
      await until(async () =>
        (await clawport(hub.place, "status", name)).out.includes("The server can change the link"),
      );
    const { outside } = hub.facts;
    expect(await hub.shell("fixed", `echo x > ${outside}/fixed/file`)).toContain("Read-only file system");
    expect(await hub.shell("fixed", `echo mine > ${outside}/file; cat ${outside}/file`)).toBe("mine");
  });

  test("reaches the hosts that its network names, through the proxy, and no others", { timeout: 60_000 }, async () => {
    const origin = createServer((_, response) => void response.end("hello from outside"));
    await using site = await listenHere(origin);
    const other = createServer((_, response) => void response.end("secret"));
    await using inner = await listenHere(other);
    await using hub = await openHostileHub({
      user,
      path,
      servers: () => ({ net: { sandbox: { network: [`127.0.0.1:${site.port}`, "localhost"] } } }),
    });
    const get = (url: string): Promise<string> =>
      hub.shell(
        "net",
        `${process.execPath} -e 'fetch("${url}").then(async (r) => console.log(r.status, await r.text()), (e) => console.log("failed", e.cause?.message))' 2>/dev/null`,
      );
    expect(await get(`http://127.0.0.1:${site.port}/`)).toBe("200 hello from outside");
    for (const url of [`http://127.0.0.1:${inner.port}/`, `http://127.0.0.1:${hub.facts.port}/mcp`])
      expect(await get(url)).toMatch(/failed|403/);
    // A name may not lead to this computer, even if it is named.
    expect(await get("http://localhost/")).toMatch(/failed|403/);
    for (const what of ["connect to a port of this computer", "connect to the metadata address of a cloud"])
      expect(await hub.attempt("net", what)).toMatch("refused");
    const { out } = await clawport(hub.place, "logs", "net");
    expect(out).toContain(`the sandbox refused 127.0.0.1:${inner.port}: it is not in \`sandbox.network\``);
  });

  test("is gone, with its namespaces, when the hub is killed with SIGKILL", { timeout: 60_000 }, async () => {
    const hub = await openHostileHub({
      user,
      path,
      servers: () => ({ net: { sandbox: { network: ["api.example.com"] } } }),
    });
    await hub.shell("net", "sleep 600 > /dev/null 2>&1 &");
    const network = await hub.shell("net", "readlink /proc/self/ns/net");
    expect(network).toMatch(/^net:\[\d+\]$/);
    expect(pidsInNetwork(network).length).toBeGreaterThan(0);
    await hub[Symbol.asyncDispose]();
    await until(() => pidsRunning(hub.facts.marker).length === 0 && pidsInNetwork(network).length === 0);
  });

  test("is stopped when the disk runs full, and the reason is in its log", { timeout: 60_000 }, async () => {
    await using hub = await openHostileHub({
      user,
      path,
      servers: () => ({ full: { sandbox: { limits: { freeDisk: Number.MAX_SAFE_INTEGER } } } }),
    });
    const logs = async (): Promise<string> => (await clawport(hub.place, "logs", "full")).out;
    await until(async () => (await logs()).includes("the server was stopped"));
    expect(await logs()).toContain("bytes are free on the disk with its folder");
  });
});

test.runIf(makers.some(({ name }) => name === "unshare"))(
  "is not started without bubblewrap, and the reason names what helps",
  { timeout: 60_000 },
  async () => {
    const { path } = makers.find(({ name }) => name === "unshare")!;
    await using hub = await openHostileHub({ path, servers: () => ({ on: { sandbox: "on" } }) });
    await until(async () => (await clawport(hub.place, "status", "on")).out.includes("can't be made here"));
    expect(existsSync(join(hub.facts.outside, "planted"))).toBe(false);
  },
);

/** The kernel does not count the processes of root. */
test.each(cases.filter(({ user }) => user !== undefined || !isRoot))(
  "a server of $name in a cage of its own can't start more processes than its limit",
  { timeout: 60_000 },
  async ({ user, path }) => {
    await using hub = await openHostileHub({
      user,
      path,
      servers: () => ({ few: { sandbox: { limits: { processes: 60 } } } }),
    });
    const started = await hub.shell("few", "i=0; while [ $i -lt 200 ]; do sleep 2 & i=$((i+1)); done; echo $i");
    expect(started).toMatch(/fork|Resource temporarily unavailable/);
  },
);
