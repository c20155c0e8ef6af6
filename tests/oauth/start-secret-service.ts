import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { until } from "../support/until.ts";

/** A session bus of its own with a gnome-keyring on it, in a throw-away home. */
export interface SecretService extends AsyncDisposable {
  /** What a process needs to find it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Ends the keyring and starts it again, as after the next login: unlocked, or waiting for its person. */
  restart(how?: "locked"): Promise<void>;
}

const password = "test";

export async function startSecretService(): Promise<SecretService> {
  const folder = await mkdtemp(join(tmpdir(), "clawport-keyring-"));
  const bus = spawn(
    "dbus-daemon",
    ["--session", "--nofork", "--nopidfile", `--address=unix:path=${folder}/bus`, "--print-address=1"],
    {
      stdio: ["ignore", "pipe", "ignore"],
    },
  );
  const [address] = await once(createInterface({ input: bus.stdout }), "line");
  const env = {
    PATH: process.env["PATH"],
    HOME: folder,
    XDG_DATA_HOME: join(folder, "data"),
    XDG_RUNTIME_DIR: folder,
    DBUS_SESSION_BUS_ADDRESS: String(address),
  };
  let keyring = await startKeyring(env, password);
  return {
    env,
    async restart(how) {
      await end(keyring);
      keyring = await startKeyring(env, how === "locked" ? undefined : password);
    },
    async [Symbol.asyncDispose]() {
      await end(keyring);
      await end(bus);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function startKeyring(env: NodeJS.ProcessEnv, password?: string): Promise<ChildProcess> {
  const args = ["--foreground", "--components=secrets", ...(password === undefined ? [] : ["--unlock"])];
  const child = spawn("gnome-keyring-daemon", args, { env, stdio: ["pipe", "ignore", "ignore"] });
  child.stdin.end(password);
  await until(() => isOnBus(env));
  return child;
}

async function isOnBus(env: NodeJS.ProcessEnv): Promise<boolean> {
  const call = ["--dest=org.freedesktop.DBus", "/", "org.freedesktop.DBus.NameHasOwner"];
  const args = ["--session", "--print-reply", ...call, "string:org.freedesktop.secrets"];
  return (await promisify(execFile)("dbus-send", args, { env })).stdout.includes("true");
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGKILL");
  await once(child, "exit");
}
