import { type Cage, droppedCapabilities, type StateCage } from "./cage.ts";
import { fullCageWords } from "./full-cage-words.ts";

/** What comes before the command line of a program to start it in the cage by bubblewrap. */
export function bubblewrapWords(bwrap: string, cage: Cage, prlimit: string | undefined): readonly string[] {
  if (cage.kind === "on") return [bwrap, ...fullCageWords(cage, prlimit)];
  return [bwrap, ...seenThroughout, ...(cage.isRoot ? rootWords() : []), ...hidingWords(cage), "--"];
}

const seenThroughout = "--dev-bind / / --unshare-pid --proc /proc --die-with-parent --new-session".split(" ");

function rootWords(): readonly string[] {
  const dropped = droppedCapabilities.flatMap((name) => ["--cap-drop", `CAP_${name.toUpperCase()}`]);
  return [...dropped, ...["/sys", "/proc/sys"].flatMap((folder) => ["--ro-bind", folder, folder])];
}

function hidingWords({
  anchors,
  closedFolders,
  emptyFolders,
  closedFiles,
  fixedFiles,
  shown,
}: StateCage): readonly string[] {
  return [
    ...anchors.flatMap((folder) => ["--dev-bind", folder, folder]),
    ...fixedFiles.flatMap((file) => ["--ro-bind", file, file]),
    ...[...closedFolders, ...emptyFolders].flatMap((folder) => ["--tmpfs", folder]),
    ...shown.flatMap((path) => ["--bind", path, path]),
    ...closedFolders.flatMap((folder) => ["--remount-ro", folder]),
    // Bound without its device, so that it can't be opened.
    ...closedFiles.flatMap((file) => ["--ro-bind", "/dev/null", file]),
  ];
}
