/** What a program in namespaces of its own is kept from seeing. Everything else stays as it is. */
export interface StateCage {
  readonly kind: "state";
  /** Folders that are empty and can't be written in there. */
  readonly closedFolders: readonly string[];
  /** Folders that are empty in there, and the program's own. */
  readonly emptyFolders: readonly string[];
  /** Files and sockets that can't be opened in there. */
  readonly closedFiles: readonly string[];
  /** Files that can be read but not written or replaced in there. */
  readonly fixedFiles: readonly string[];
  /** What is in those folders and visible all the same. */
  readonly shown: readonly string[];
  /**
   * Folders above those that the user could move, the outermost first. They are mounts in there, which can't be moved: a
   * program that moves one could put a state folder of its own where Clawport looks for it.
   */
  readonly anchors: readonly string[];
  /** The kernel's settings can't be written in there, although the user is root. */
  readonly isRoot: boolean;
}

/** A program sees nothing but the system's programs, a folder of its own, and what it is given. */
export interface FullCage {
  readonly kind: "on";
  /** The user's home folder. In there it is the folder `kept`. */
  readonly home: string;
  /** Where what it writes into its home folder is kept. */
  readonly kept: string;
  readonly read: readonly string[];
  readonly write: readonly string[];
  /** Folders that are never seen in there, whatever is given. */
  readonly closed: readonly string[];
  /** As in `StateCage`. */
  readonly fixedFiles: readonly string[];
  /** As in `StateCage`. */
  readonly anchors: readonly string[];
  /** `proxy`: a network without anything, until `onOpen` puts something there. */
  readonly network: "none" | "host" | "proxy";
  readonly cwd: string;
  /** Its environment, besides what its settings have. */
  readonly env: Readonly<Record<string, string>>;
  /** What is run instead of the command and its arguments, if something else is. */
  readonly instead?: readonly string[] | undefined;
  readonly limits: ProcessLimits;
  readonly isRoot: boolean;
  /** Called when the cage is there, with its first process, before the program starts. */
  onOpen?(init: number): Promise<void>;
  /** Called once, when the program has started; returns what ends with it. */
  onStart?(stop: () => void): () => void;
  /** What the cage refused according to what the program said, with what to add to its settings. */
  explain?(said: string): readonly string[];
}

export interface ProcessLimits {
  readonly memory?: number | undefined;
  readonly processes?: number | undefined;
  readonly cpu?: number | undefined;
}

export type Cage = StateCage | FullCage;

/**
 * With one of these, root could undo what hides a folder, read the disk past the file system, or look into processes
 * outside. All others stay, so that a server of root works as before.
 */
export const droppedCapabilities = [
  "sys_admin",
  "sys_module",
  "sys_rawio",
  "sys_ptrace",
  "sys_boot",
  "syslog",
  "mknod",
  "dac_read_search",
  "mac_admin",
  "mac_override",
  "bpf",
  "perfmon",
  "checkpoint_restore",
] as const;
