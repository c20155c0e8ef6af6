import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { redactText } from "../../../../core/secrets/redact.ts";
import { quotedPeerTail } from "../../../../core/text/peer-text.ts";
import { formatMark, judgeMark, ownMark, parseMark } from "../../../../core/process/process-mark.ts";
import { startProcessTree } from "../../../../core/process/process-tree.ts";
import { createTail } from "../../../../core/process/tail.ts";
import { withDeadline } from "../../../../core/wait.ts";
import { CapabilityFault } from "../../capability.ts";
import type { Machine } from "../../machine.ts";
import { chromiumFlags, chromiumLocalState, chromiumPreferences, type FlagOptions } from "./chromium-flags.ts";
import { connectDevTools, type DevTools } from "./devtools.ts";

export interface StartChromiumOptions extends Omit<FlagOptions, "profile">, Pick<Machine, "env" | "homedir"> {
  readonly command: string;
  /** Where profiles are kept while a browser runs. */
  readonly folder: string;
}

export interface Chromium {
  readonly devtools: DevTools;
  /** Resolves with the reason when it can't be used any more. */
  readonly lost: Promise<string>;
  /** Nothing of it runs, and nothing is left of its profile, when this resolves. */
  close(): Promise<void>;
}

const startMs = 30_000;
let started = 0;

/**
 * Starts a browser with a new profile. It is driven through a pipe: a port would be open to every program and user of
 * this computer. When we die, the pipe closes and the browser ends, even if its process tree could stay.
 */
export async function startChromium(options: StartChromiumOptions, signal: AbortSignal): Promise<Chromium> {
  const { command, folder, env } = options;
  await removeLeftovers(folder);
  const profile = join(folder, `${formatMark(ownMark("/proc"))}.${++started}`);
  await prepareProfile(profile);
  const temporary = await mkdtemp(join(shortFolder(env["TMPDIR"]), "clawport-"));
  // The browser expects the pipe as its descriptors 3 and 4.
  const script = 'exec "$@" 3<&0 4>&1 </dev/null >/dev/null';
  const words = ["-c", script, "sh", command, ...chromiumFlags({ ...options, profile })];
  const tree = await startProcessTree(
    { command: "/bin/sh", args: words, env: desktopEnv(options, profile, temporary) },
    env,
  );
  const errors = createTail(4000, redactText);
  tree.stderr.on("data", (chunk: Buffer) => errors.push(chunk));
  let devtools!: DevTools;
  const lost = new Promise<string>((resolve) => {
    devtools = connectDevTools(tree.stdin, tree.stdout, resolve);
    void tree.exited.then(() => resolve("The browser has ended."));
  });
  let closing: Promise<void> | undefined;
  const end = async (): Promise<void> => {
    await tree.kill();
    for (const made of [profile, temporary]) await rm(made, { recursive: true, force: true, maxRetries: 3 });
  };
  const close = (): Promise<void> => (closing ??= end());
  try {
    await withDeadline(startMs, signal, () => devtools.send("Browser.getVersion"));
  } catch (error) {
    await close();
    if (signal.aborted) throw error;
    const said = errors.text().includes("sandbox")
      ? "its sandbox does not work here; allow unprivileged user namespaces, or set `machine.canvas.sandbox` to false if you trust all pages"
      : `its last words: ${quotedPeerTail(errors.text(), 300)}`;
    throw new CapabilityFault("CANVAS_UNAVAILABLE", `${command} did not start: ${said}.`, { cause: error });
  }
  return { devtools, lost, close };
}

async function prepareProfile(profile: string): Promise<void> {
  await mkdir(join(profile, "Default"), { recursive: true, mode: 0o700 });
  await mkdir(join(profile, "bin"));
  await writeFile(join(profile, "Default", "Preferences"), JSON.stringify(chromiumPreferences));
  await writeFile(join(profile, "Local State"), JSON.stringify(chromiumLocalState));
  // By this program Chromium hands addresses that are not for it (mailto: …) to other programs.
  const opener = join(profile, "bin", "xdg-open");
  await writeFile(opener, "#!/bin/sh\nexit 1\n");
  await chmod(opener, 0o700);
}

/** Chromium makes a socket in its folder for temporary files, whose path must not be long. */
function shortFolder(folder: string | undefined): string {
  return folder === undefined || folder.length > 40 ? "/tmp" : folder;
}

/** What a browser on this desktop needs, without the session bus: through that it could reach other programs. */
function desktopEnv(options: StartChromiumOptions, profile: string, temporary: string): Record<string, string> {
  const { env, homedir, headless } = options;
  const { DISPLAY: display, WAYLAND_DISPLAY: wayland, XAUTHORITY: authority, PATH: path } = env;
  return {
    HOME: profile,
    TMPDIR: temporary,
    XDG_CONFIG_HOME: join(profile, "config"),
    XDG_CACHE_HOME: join(profile, "cache"),
    XDG_DATA_HOME: join(profile, "data"),
    PATH: [join(profile, "bin"), ...(path === undefined ? [] : [path])].join(":"),
    ...(!headless && {
      XAUTHORITY: authority ?? join(homedir, ".Xauthority"),
      ...(display !== undefined && { DISPLAY: display }),
      ...(wayland !== undefined && { WAYLAND_DISPLAY: wayland }),
    }),
  };
}

/** A process that was killed could not remove its profile. */
async function removeLeftovers(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const name of await readdir(folder)) {
    const mark = parseMark(name.slice(0, name.lastIndexOf(".")));
    if (mark !== undefined && judgeMark(mark, ownMark("/proc"), "/proc") === "dead")
      await rm(join(folder, name), { recursive: true, force: true });
  }
}
