import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Env } from "../../../core/process/child-env.ts";

/** What acts for the user, and is hidden from a command whose variables don't name it. */
export type SessionService = "display" | "session bus" | "ssh-agent" | "container engine";

/** The variables that give a command each of them. */
const variables: Readonly<Record<SessionService, readonly string[]>> = {
  display: ["DISPLAY", "XAUTHORITY", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR"],
  "session bus": ["DBUS_SESSION_BUS_ADDRESS"],
  "ssh-agent": ["SSH_AUTH_SOCK"],
  "container engine": ["DOCKER_HOST"],
};

/** What commands and packages need one of them, by the words of their command line. */
const hints: Readonly<Record<SessionService, RegExp>> = {
  display: /\b(?:clipboard|screenshot|screen-capture|desktop-automation|computer-use|xdotool|robotjs|nut-js)\b/i,
  "session bus": /\b(?:notify|notifications?|dbus|libnotify|keyring)\b/i,
  "ssh-agent": /(?:^|[/\s-])ssh\b/i,
  "container engine": /\b(?:docker|podman|testcontainers)\b/i,
};
const browser = /\b(?:playwright|puppeteer|chrome-devtools|browser)\b/i;

/** What programs say if they miss one of them. */
const complaints: Readonly<Record<SessionService, RegExp>> = {
  display: /(?:can(?:no|')t|unable to) open (?:X )?display|missing X server|no DISPLAY|\$DISPLAY|XServer running/i,
  "session bus": /DBUS_SESSION_BUS_ADDRESS|(?:connect|connection) to (?:the )?(?:session )?bus|dbus-launch/i,
  "ssh-agent": /authentication agent|SSH_AUTH_SOCK/i,
  "container engine": /Docker daemon|docker\.sock|podman\.sock/i,
};

/** A command as its settings have it, and what it said when it was tried. */
export interface CommandFacts {
  readonly command: string;
  readonly args: readonly string[];
  readonly given: Readonly<Record<string, string>>;
  readonly said?: string;
  /** Sockets that it could not connect to. */
  readonly sockets?: readonly string[];
}

/** Commands that are given their engine's socket without a variable. */
const hasEngine = /(?:^|\/)(?:docker|nerdctl|podman|lima)$/;

/** Which of them the command seems to need and does not have, each with the variables to add, if the user has it at all. */
export function missingServices(
  facts: CommandFacts,
  env: Env,
): readonly { readonly service: SessionService; readonly env: Readonly<Record<string, string>> }[] {
  const words = [facts.command, ...facts.args].join(" ");
  return (Object.keys(variables) as SessionService[]).flatMap((service) => {
    if (variables[service].some((name) => name in facts.given)) return [];
    if (service === "container engine" && hasEngine.test(facts.command)) return [];
    const opensWindow = service === "display" && browser.test(words) && !/--headless\b/.test(words);
    const isNeeded =
      opensWindow ||
      hints[service].test(words) ||
      complaints[service].test(facts.said ?? "") ||
      (facts.sockets ?? []).some((path) => serviceOf(path, env) === service);
    const given = isNeeded ? variablesFor(service, env) : {};
    return Object.keys(given).length === 0 ? [] : [{ service, env: given }];
  });
}

function variablesFor(service: SessionService, env: Env): Readonly<Record<string, string>> {
  const set = variables[service].filter((name) => env[name] !== undefined && env[name] !== "");
  if (service === "display" && !set.includes("DISPLAY") && !set.includes("WAYLAND_DISPLAY")) return {};
  if (service === "container engine" && set.length === 0)
    return existsSync(dockerSocket) ? { DOCKER_HOST: `unix://${dockerSocket}` } : {};
  return Object.fromEntries(set.map((name) => [name, `$${name}`]));
}

const dockerSocket = "/var/run/docker.sock";

function serviceOf(path: string, env: Env): SessionService | undefined {
  if (/\/\.X11-unix\/|\/wayland-\d+$/.test(path)) return "display";
  if (path.endsWith("/bus")) return "session bus";
  if (path === env["SSH_AUTH_SOCK"]) return "ssh-agent";
  return /\/(?:docker|podman)\.sock$/.test(path) ? "container engine" : undefined;
}

/** The sockets and files that the variables of a command give it. */
export function grantedPaths(given: Readonly<Record<string, string>>): readonly string[] {
  const { DISPLAY, WAYLAND_DISPLAY, XDG_RUNTIME_DIR = "", XAUTHORITY, SSH_AUTH_SOCK, DOCKER_HOST = "" } = given;
  const [, screen] = /^(?:unix)?:(\d+)/.exec(DISPLAY ?? "") ?? [];
  const [, bus] = /unix:path=([^,;]+)/.exec(given["DBUS_SESSION_BUS_ADDRESS"] ?? "") ?? [];
  const [, engine] = /^unix:\/\/(\/.+)$/.exec(DOCKER_HOST) ?? [];
  const wayland = WAYLAND_DISPLAY === undefined ? undefined : join(XDG_RUNTIME_DIR, WAYLAND_DISPLAY);
  const x11 = screen === undefined ? undefined : `/tmp/.X11-unix/X${screen}`;
  return [x11, wayland, XAUTHORITY, bus, SSH_AUTH_SOCK, engine].flatMap((path) => (path?.startsWith("/") ? path : []));
}
