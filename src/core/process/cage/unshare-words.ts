import { type StateCage, droppedCapabilities } from "./cage.ts";

/** The programs of util-linux that make a cage where there is no bubblewrap. */
export interface UnsharePrograms {
  readonly setpriv: string;
  readonly unshare: string;
  readonly setsid: string;
  readonly mount: string;
}

/**
 * Hides what it is told, gives up the right to undo that, and starts the program as the second process: the first of a
 * namespace gets no signals it does not handle. What is shown in a hidden folder is reached through the folder as it was
 * opened before.
 */
const script = `
clawport_mount=$1 clawport_setpriv=$2 clawport_drop=$3; shift 3
hide() { "$clawport_mount" -n "$@" || exit 125; }
while [ "$1" != -- ]; do
  case "$1" in
    anchor) hide --rbind "$2" "$2" ;;
    folder) exec 9<"$2"; hide -t tmpfs -o mode=700 clawport "$2" ;;
    shown) if [ -d "/proc/self/fd/9/$3" ]; then /bin/mkdir -p "$2/$3"; else : >"$2/$3"; fi
      hide -c --bind "/proc/self/fd/9/$3" "$2/$3"; shift ;;
    closed) hide -o remount,ro "$2" ;;
    file) hide --bind /dev/null "$2"; hide -o remount,bind,nodev,ro "$2" ;;
    fixed) hide --rbind "$2" "$2"; hide -o remount,bind,ro "$2" ;;
  esac
  shift 2
done
shift; exec 9<&-
(exec "$clawport_setpriv" --inh-caps=-all --ambient-caps=-all --bounding-set="$clawport_drop" -- "$@"); exit $?`;

/** What comes before the command line of a program to start it in the cage by `unshare`. `unset` are variables that a shell would add. */
export function unshareWords(programs: UnsharePrograms, cage: StateCage, unset: readonly string[]): readonly string[] {
  const { setpriv, unshare, setsid, mount } = programs;
  const user = cage.isRoot ? [] : ["--user", "--map-current-user", "--keep-caps"];
  const flags = [...user, "--pid", "--fork", "--kill-child", "--mount-proc", "--propagation", "slave", "--"];
  const forget = unset.length === 0 ? "" : `unset ${unset.join(" ")}`;
  const shell = [setsid, "/bin/sh", "-c", `${forget}${script}`, "sh"];
  const drop = cage.isRoot ? droppedCapabilities.map((name) => `-${name}`).join(",") : "-all";
  return [
    setpriv,
    "--pdeathsig",
    "KILL",
    unshare,
    ...flags,
    ...shell,
    mount,
    setpriv,
    drop,
    ...hidingWords(cage),
    "--",
  ];
}

function hidingWords(cage: StateCage): readonly string[] {
  const { anchors, closedFolders, emptyFolders, closedFiles, fixedFiles, shown, isRoot } = cage;
  return [
    ...anchors.flatMap((folder) => ["anchor", folder]),
    ...fixedFiles.flatMap((file) => ["fixed", file]),
    ...[...closedFolders, ...emptyFolders].flatMap((folder) => [
      "folder",
      folder,
      ...shown.flatMap((path) =>
        path.startsWith(`${folder}/`) ? ["shown", folder, path.slice(folder.length + 1)] : [],
      ),
    ]),
    ...closedFolders.flatMap((folder) => ["closed", folder]),
    ...closedFiles.flatMap((file) => ["file", file]),
    ...(isRoot ? ["/sys", "/proc/sys"] : []).flatMap((folder) => ["fixed", folder]),
  ];
}
