import { spawn } from "node:child_process";
import type { Env } from "../../core/process/child-env.ts";
import { splitCommandLine } from "../../core/process/split-command-line.ts";

export interface BrowserEnvironment {
  readonly env: Env;
  readonly platform: string;
}

/** Opens a URL in the user's browser, without a shell; false if no browser could be started. */
export async function openBrowser(url: URL, environment: BrowserEnvironment): Promise<boolean> {
  if (url.protocol !== "https:" && url.protocol !== "http:") return false;
  for (const [command = "", ...args] of browserCommands(url.href, environment)) {
    if (await starts(command, args, environment.env)) return true;
  }
  return false;
}

/** The commands to try, in order; empty if there is no screen to show a browser on. */
export function browserCommands(
  address: string,
  { env, platform }: BrowserEnvironment,
): readonly (readonly string[])[] {
  const configured = env["BROWSER"];
  if (configured === "" || configured === "none") return [];
  if (configured !== undefined)
    return configured.split(platform === "win32" ? ";" : ":").flatMap((each) => commandOf(each, address));
  if (platform === "darwin") return [["open", address]];
  // `start` is built into the shell; this does the same without one.
  if (platform === "win32") return [["rundll32.exe", "url.dll,FileProtocolHandler", address]];
  if (env["WSL_DISTRO_NAME"]) return [["wslview", address]];
  return env["DISPLAY"] || env["WAYLAND_DISPLAY"] ? [["xdg-open", address]] : [];
}

/** `BROWSER` may name several commands, and where the URL goes in each: `firefox --new-window %s:w3m`. */
function commandOf(text: string, address: string): readonly (readonly string[])[] {
  const words = splitCommandLine(text);
  if (words.length === 0) return [];
  return [words.includes("%s") ? words.map((word) => (word === "%s" ? address : word)) : [...words, address]];
}

function starts(command: string, args: readonly string[], env: BrowserEnvironment["env"]): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: "ignore", detached: true, shell: false, env: { ...env } });
    child.once("error", () => resolve(false));
    child.once("spawn", () => resolve(true));
    child.unref();
  });
}
