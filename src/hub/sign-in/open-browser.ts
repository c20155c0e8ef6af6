import { spawn } from "node:child_process";
import type { Env } from "../../core/process/child-env.ts";
import { splitWords } from "../verbs/split-words.ts";

export interface BrowserEnvironment {
  readonly env: Env;
  readonly platform: string;
}

/** Opens an address in the person's browser; says whether one could be started. Nothing goes through a shell. */
export async function openBrowser(url: URL, environment: BrowserEnvironment): Promise<boolean> {
  if (url.protocol !== "https:" && url.protocol !== "http:") return false;
  for (const [command = "", ...args] of browserCommands(url.href, environment)) {
    if (await starts(command, args, environment.env)) return true;
  }
  return false;
}

/** In the order in which they are tried; none where nobody could see one. */
export function browserCommands(
  address: string,
  { env, platform }: BrowserEnvironment,
): readonly (readonly string[])[] {
  const own = env["BROWSER"];
  if (own === "" || own === "none") return [];
  if (own !== undefined) return own.split(platform === "win32" ? ";" : ":").flatMap((each) => commandOf(each, address));
  if (platform === "darwin") return [["open", address]];
  // `start` is a word of the shell; this does what it does.
  if (platform === "win32") return [["rundll32.exe", "url.dll,FileProtocolHandler", address]];
  if (env["WSL_DISTRO_NAME"]) return [["wslview", address]];
  return env["DISPLAY"] || env["WAYLAND_DISPLAY"] ? [["xdg-open", address]] : [];
}

/** `BROWSER` may name several, and where in a command the address goes: `firefox --new-window %s:w3m`. */
function commandOf(text: string, address: string): readonly (readonly string[])[] {
  const words = splitWords(text);
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
