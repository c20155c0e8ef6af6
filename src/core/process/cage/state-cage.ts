import { accessSync, constants, existsSync, readdirSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Env } from "../child-env.ts";
import type { StateCage } from "./cage.ts";

export interface StateCageOptions {
  /** Folders of Clawport itself: the state folder, and where its sockets are. */
  readonly ownFolders: readonly string[];
  /** Files of Clawport elsewhere that no program may write: a configuration that was given by its path. */
  readonly ownFiles: readonly string[];
  /** Clawport's environment, which says where this user's desktop, agents and engines are. */
  readonly env: Env;
  readonly homedir: string;
  readonly uid: number;
  /** The program's command, and the variables that its settings give it. */
  readonly command: string;
  readonly given: Readonly<Record<string, string>>;
}

/**
 * Hides Clawport's own folders, and what acts for this user: the session bus, the display, ssh-agent, container engines,
 * and the terminals of tmux and screen. A variable that the settings give to the program shows what it names.
 */
export function makeStateCage(options: StateCageOptions): StateCage {
  const { ownFolders, env, uid, given } = options;
  const isRoot = uid === 0;
  const runtime = realFolder(env["XDG_RUNTIME_DIR"]) ?? realFolder(`/run/user/${uid}`);
  const x11 = "DISPLAY" in given ? undefined : realFolder("/tmp/.X11-unix");
  const closedFolders = outermost([...ownFolders, x11].flatMap((folder) => realFolder(folder) ?? []));
  const isOwn = (path: string): boolean => closedFolders.some((folder) => isWithin(path, folder));
  const fixedFiles = options.ownFiles.flatMap((file) => realFile(file) ?? []).filter((file) => !isOwn(file));
  const emptyFolders = outermost(
    [runtime, ...terminalFolders(options).map(realFolder)].flatMap((each) => each ?? []),
  ).filter((folder) => !isOwn(folder));
  const named = namedPaths(given, runtime).filter((path) => !isOwn(path));
  const closedFiles = [...socketsOf(options), ...(isRoot ? rootFiles() : [])]
    .flatMap((file) => realFile(file) ?? [])
    .filter((file, index, all) => all.indexOf(file) === index)
    .filter((file) => !named.includes(file) && ![...closedFolders, ...emptyFolders].some((at) => isWithin(file, at)));
  return {
    kind: "state",
    closedFolders,
    emptyFolders,
    closedFiles,
    fixedFiles,
    shown: named.filter((path) => emptyFolders.some((folder) => path !== folder && isWithin(path, folder))),
    // Root could move everything: only what is Clawport's own is worth a mount then, and /proc must not be bound.
    anchors: movableAbove([...closedFolders, ...fixedFiles, ...(isRoot ? [] : [...emptyFolders, ...closedFiles])]),
    isRoot,
  };
}

/** The folders above these paths that the user could move, the outermost first. */
function movableAbove(paths: readonly string[]): readonly string[] {
  const above = new Set(paths.flatMap(foldersAbove));
  return [...above].filter((folder) => isWritable(dirname(folder))).toSorted((a, b) => a.length - b.length);
}

function foldersAbove(path: string): readonly string[] {
  const folder = dirname(path);
  return folder === "/" ? [] : [...foldersAbove(folder), folder];
}

/** Programs that are of no use without the socket of their engine: naming one gives it. */
const engineCommands = new Set(["docker", "nerdctl", "podman", "lima"]);

function socketsOf({ env, given, command, homedir }: StateCageOptions): readonly (string | undefined)[] {
  const hasDisplay = "DISPLAY" in given;
  const hasEngine = "DOCKER_HOST" in given || "CONTAINER_HOST" in given || engineCommands.has(basename(command));
  const [, bus] = /unix:path=([^,;]+)/.exec(env["DBUS_SESSION_BUS_ADDRESS"] ?? "") ?? [];
  const named = [env["DOCKER_HOST"], env["CONTAINER_HOST"]].map((url) => /^unix:\/\/(\/.+)$/.exec(url ?? "")?.[1]);
  const engines = [...named, ...systemEngines, ...userEngines.map((name) => join(homedir, name))];
  return [
    ...("DBUS_SESSION_BUS_ADDRESS" in given ? [] : [bus]),
    ...("SSH_AUTH_SOCK" in given ? [] : [env["SSH_AUTH_SOCK"]]),
    ...(hasDisplay ? [] : [env["XAUTHORITY"], join(homedir, ".Xauthority")]),
    ...(hasEngine ? [] : engines).filter((path) => path !== undefined && isWritable(path)),
  ];
}

const systemEngines = [
  "/run/docker.sock",
  "/run/podman/podman.sock",
  "/run/containerd/containerd.sock",
  "/run/crio/crio.sock",
  "/run/libvirt/libvirt-sock",
  "/run/incus/unix.socket",
  "/run/k3s/containerd/containerd.sock",
  "/run/buildkit/buildkitd.sock",
  "/var/lib/incus/unix.socket",
  "/var/lib/lxd/unix.socket",
  "/var/snap/lxd/common/lxd/unix.socket",
];
const userEngines = [
  ".docker/run/docker.sock",
  ".docker/desktop/docker.sock",
  ".colima/default/docker.sock",
  ".lima/default/sock/docker.sock",
];

/** Who can write to a terminal's socket can type into it, outside of the cage. */
function terminalFolders({ env, given, homedir, uid }: StateCageOptions): readonly (string | undefined)[] {
  const tmux = [env["TMUX_TMPDIR"] ?? "/tmp", "/tmp"].map((folder) => join(folder, `tmux-${uid}`));
  return [
    ...("TMUX" in given || "TMUX_TMPDIR" in given ? [] : tmux),
    ...("SCREENDIR" in given ? [] : [env["SCREENDIR"], "/run/screen", join(homedir, ".screen")]),
  ];
}

/** What would give root a process outside, or the disk itself. */
function rootFiles(): readonly string[] {
  const devices = readdirSync("/dev", { withFileTypes: true }).filter((entry) => entry.isBlockDevice());
  const paths = [...devices.map(({ name }) => `/dev/${name}`), "/dev/mem", "/dev/kmem", "/dev/port"];
  return [...paths, "/run/systemd/private", "/run/dbus/system_bus_socket", "/proc/sysrq-trigger"];
}

/** The absolute paths in the values of variables, also in addresses such as `unix:path=/run/user/1000/bus`. */
function namedPaths(given: Readonly<Record<string, string>>, runtime: string | undefined): readonly string[] {
  const paths = Object.values(given).flatMap((value) => value.match(/\/[^\s,;:]+/g) ?? []);
  const wayland = given["WAYLAND_DISPLAY"];
  const all = wayland === undefined || runtime === undefined ? paths : [...paths, join(runtime, wayland)];
  return all.flatMap((path) => realOf(path.replace(/^\/+/, "/")) ?? []);
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

/** A folder in another one is hidden with it. */
function outermost(folders: readonly string[]): readonly string[] {
  const all = [...new Set(folders)];
  return all.filter((folder) => !all.some((other) => other !== folder && isWithin(folder, other)));
}

/** What makes the cage would create a folder that does not exist. */
function realFolder(path: string | undefined): string | undefined {
  const real = path && realOf(path);
  return real && statSync(real).isDirectory() ? real : undefined;
}

function realFile(path: string | undefined): string | undefined {
  const real = path && realOf(path);
  return real && !statSync(real).isDirectory() ? real : undefined;
}

function realOf(path: string): string | undefined {
  try {
    return existsSync(path) ? realpathSync(path) : undefined;
  } catch {
    return undefined;
  }
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
