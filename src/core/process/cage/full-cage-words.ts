import { existsSync, lstatSync, readlinkSync, realpathSync } from "node:fs";
import type { FullCage, ProcessLimits } from "./cage.ts";

/** The file descriptors by which bubblewrap says that a cage is there, and waits until it may start the program. */
export const cageDescriptors = { info: 3, block: 4 } as const;

const temporaryWords =
  "--proc /proc --size 268435456 --tmpfs /dev/shm --size 536870912 --tmpfs /tmp --tmpfs /run --dir /var/tmp".split(" ");

/** What bubblewrap is told, up to the command line of the program. */
export function fullCageWords(cage: FullCage, prlimit: string | undefined): readonly string[] {
  const { home, kept, network, cwd, isRoot, closed } = cage;
  // A link that a server planted in a folder of its own may lead to a closed one.
  const read = cage.read.filter((path) => !isInSome(path, closed));
  const write = cage.write.filter((path) => !isInSome(path, closed));
  return [
    ...namespaces,
    ...(network === "host" ? [] : ["--unshare-net"]),
    ...systemWords(),
    ...(isRoot
      ? secretFiles.filter((file) => existsSync(file)).flatMap((file) => ["--ro-bind", "/dev/null", file])
      : []),
    ...deviceWords(network),
    ...temporaryWords,
    ...(isRoot ? ["--ro-bind", "/proc/sys", "/proc/sys"] : []),
    ...(network === "host" ? nameServerWords() : []),
    "--bind",
    kept,
    home,
    ...bindingWords(read, write),
    ...closingWords({ ...cage, read, write }),
    "--chdir",
    cwd,
    ...(cage.onOpen === undefined
      ? []
      : ["--info-fd", String(cageDescriptors.info), "--block-fd", String(cageDescriptors.block)]),
    "--",
    ...limitWords(cage.limits, prlimit),
  ];
}

const namespaces =
  "--unshare-user --unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup-try --cap-drop ALL --die-with-parent --new-session".split(
    " ",
  );

/**
 * With terminals of its own, the cage is in two user namespaces, and its network belongs to the outer one, which this process
 * could not enter to listen in it.
 */
function deviceWords(network: FullCage["network"]): readonly string[] {
  if (network !== "proxy") return ["--dev", "/dev"];
  const devices = ["null", "zero", "full", "random", "urandom"].map((name) => `/dev/${name}`);
  const links = [
    ["/proc/self/fd", "fd"] as const,
    ...(["stdin", "stdout", "stderr"] as const).map((name, fd) => [`/proc/self/fd/${fd}`, name] as const),
  ];
  return [
    "--tmpfs",
    "/dev",
    ...devices.flatMap((device) => ["--dev-bind", device, device]),
    ...links.flatMap(([target, name]) => ["--symlink", target, `/dev/${name}`]),
  ];
}

const systemFolders = ["usr", "bin", "sbin", "lib", "lib32", "lib64", "libx32", "etc", "opt", "nix", "gnu"].map(
  (name) => `/${name}`,
);

/** What programs need to run, as the system has it: some of these are links to others. */
function systemWords(): readonly string[] {
  return systemFolders.flatMap((path) => {
    if (!existsSync(path)) return [];
    return lstatSync(path).isSymbolicLink() ? ["--symlink", readlinkSync(path), path] : ["--ro-bind", path, path];
  });
}

/** What is in another folder comes after it, so that it stays as it was given. */
function bindingWords(read: readonly string[], write: readonly string[]): readonly string[] {
  const all = [...read.map((path) => ["--ro-bind", path] as const), ...write.map((path) => ["--bind", path] as const)];
  return all.toSorted(([, a], [, b]) => a.length - b.length).flatMap(([word, path]) => [word, path, path]);
}

/** Only what is in something that is bound: elsewhere there is nothing to hide, and the folder would be made. */
function closingWords({ read, write, closed, anchors, fixedFiles }: FullCage): readonly string[] {
  const visible = closed.filter((folder) => isInSome(folder, [...systemFolders, ...read, ...write]));
  const fixed = fixedFiles.filter((file) => isInSome(file, write));
  const movable = anchors.filter(
    (anchor) => isInSome(anchor, write) && [...visible, ...fixed].some((each) => isInSome(each, [anchor])),
  );
  return [
    ...movable.flatMap((folder) => ["--bind", folder, folder]),
    ...fixed.flatMap((file) => ["--ro-bind", file, file]),
    ...visible.flatMap((folder) => ["--tmpfs", folder, "--remount-ro", folder]),
  ];
}

function isInSome(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => path === folder || path.startsWith(`${folder}/`));
}

/** Root owns these, and is root in there, too. */
const secretFiles = ["/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/sudoers"];

/** Often a link to a file that the name service writes. */
function nameServerWords(): readonly string[] {
  try {
    const real = realpathSync("/etc/resolv.conf");
    return real === "/etc/resolv.conf" ? [] : ["--ro-bind", real, real];
  } catch {
    return [];
  }
}

/** Counted in there: outside, all processes of the user would count. */
function limitWords({ memory, processes, cpu }: ProcessLimits, prlimit = "prlimit"): readonly string[] {
  const words = [
    ...(memory === undefined ? [] : [`--data=${memory}`]),
    ...(processes === undefined ? [] : [`--nproc=${processes}`]),
    ...(cpu === undefined ? [] : [`--cpu=${cpu}`]),
  ];
  return words.length === 0 ? [] : [prlimit, ...words, "--"];
}
