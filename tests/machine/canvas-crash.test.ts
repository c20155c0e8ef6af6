import { once } from "node:events";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { chmod, chown, mkdir, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { makePlace } from "../support/cli/run-clawport.ts";
import { pidsRunning } from "../support/running-commands.ts";
import { until } from "../support/until.ts";
import { startCommand } from "./canvas/start-command.ts";
import { canvasPrograms, startScreen } from "./canvas/start-screen.ts";
import { openClient } from "./desktop/open-client.ts";

const isRoot = process.getuid?.() === 0;
const nobody = 65_534;
/** As root there is no sandbox. */
const asUser = isRoot ? ["setpriv", `--reuid=${nobody}`, `--regid=${nobody}`, "--clear-groups"] : [];

describe.skipIf(canvasPrograms.includes(undefined))("a node that is killed", { timeout: 60_000 }, () => {
  test("leaves no browser running, and the next one removes its profile", async () => {
    await using place = await makePlace();
    await using screen = await startScreen();
    await mkdir(place.home, { mode: 0o700 });
    if (isRoot) {
      await chmod(dirname(place.folder), 0o711);
      for (const folder of [place.folder, place.home]) await chown(folder, nobody, nobody);
    }
    const options = { place, wrapper: asUser, env: screen.env, machine: {} };
    const profiles = join(place.home, "machine", "canvas");
    const flagOf = (profile: string): string => `--user-data-dir=${join(profiles, profile)}`;

    await using node = await startCommand(options);
    await using client = await openClient(node);
    const shown = await client.call("canvas.present", { html: "<h1>Hello</h1>" });
    expect(shown.text).toBe('{"presented":true,"url":"http://canvas.localhost/1","windowed":true}');
    const [profile = ""] = await readdir(profiles);
    const running = processesBelow(node.pid);
    const renderers = running.filter(isRenderer);
    expect(renderers.length).toBeGreaterThan(0);
    for (const pid of renderers) expect(sandboxOf(pid)).toEqual({ seccomp: "2", hasOwnUsers: true });

    node.child.kill("SIGKILL");
    await once(node.child, "exit");
    await until(() => running.every(isGone), "the end of the browser");
    expect(pidsRunning(flagOf(profile))).toEqual([]);
    await until(async () => (await screen.windows()).length === 0, "no window");
    expect(await readdir(profiles)).toEqual([profile]);

    await using next = await startCommand(options);
    await using other = await openClient(next);
    await other.call("canvas.present", { html: "<h1>Again</h1>" });
    // A spare renderer may have ended by itself since.
    for (const pid of processesBelow(next.pid).filter(isRenderer)) if (!isGone(pid)) process.kill(pid, "SIGKILL");
    await until(
      async () => (await other.call("canvas.snapshot")).text.startsWith("CANVAS_NOT_OPEN"),
      "the end of the page",
    );
    await other.call("canvas.present", { html: "<h1>And again</h1>" });
    const left = await readdir(profiles);
    expect(left).toHaveLength(1);
    expect(left).not.toEqual([profile]);
    next.child.kill("SIGTERM");
    await once(next.child, "exit");
    expect(pidsRunning(flagOf(left[0] ?? ""))).toEqual([]);
    expect(await readdir(profiles)).toEqual([]);
  });
});

const statusOf = (pid: number, field: string): string | undefined =>
  new RegExp(`^${field}:\\s+(\\S+)`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];

function sandboxOf(pid: number): object {
  const users = readlinkSync(`/proc/${pid}/ns/user`);
  return { seccomp: statusOf(pid, "Seccomp"), hasOwnUsers: users !== readlinkSync("/proc/self/ns/user") };
}

function processesBelow(ancestor: number): readonly number[] {
  const all = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  const children = Map.groupBy(all.map(Number), (pid) => parentOf(pid));
  const below = (pid: number): number[] => (children.get(pid) ?? []).flatMap((child) => [child, ...below(child)]);
  return below(ancestor);
}

function parentOf(pid: number): number {
  try {
    return Number(statusOf(pid, "PPid"));
  } catch {
    return 0;
  }
}

/** Chromium writes the command lines of its own processes as one text. */
function isRenderer(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1").includes("--type=renderer");
  } catch {
    return false;
  }
}

function isGone(pid: number): boolean {
  try {
    return statusOf(pid, "State") === "Z";
  } catch {
    return true;
  }
}
