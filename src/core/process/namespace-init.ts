import { readFileSync } from "node:fs";
import { sleep } from "../wait.ts";
import { readStat } from "./process-mark.ts";

/**
 * The first process of a PID namespace, which the system kills with everything else in there when it ends. It is the only
 * child of the program that made the namespace, and its first child is the program that runs in there.
 */
export interface NamespaceInit {
  /** Undefined while it has not started, and once it has ended. */
  pid(): number | undefined;
  /** The program in the namespace, as this process sees its pid. */
  programPid(): number | undefined;
  /** Resolves when everything in the namespace has ended. */
  gone(): Promise<void>;
}

export function watchNamespaceInit(wrapper: number): NamespaceInit {
  let init: { readonly pid: number; readonly start: string } | undefined;
  let program: number | undefined;

  /** A later process may have the same pid. */
  function stat() {
    const found = init && readStat("/proc", String(init.pid));
    return found?.start === init?.start ? found : undefined;
  }

  function pid(): number | undefined {
    if (init === undefined) {
      const [first] = childrenOf(wrapper);
      const start = first === undefined ? undefined : readStat("/proc", String(first))?.start;
      if (first !== undefined && start !== undefined) init = { pid: first, start };
    }
    return stat()?.isEnding === false ? init?.pid : undefined;
  }

  return {
    pid,
    programPid() {
      const parent = pid();
      const children = parent === undefined ? [] : childrenOf(parent);
      // What prepares the namespace runs before the program.
      if (program === undefined || (children.length > 0 && !children.includes(program))) program = children[0];
      return program;
    },
    async gone() {
      for (let found = stat(); found !== undefined && !found.isZombie; found = stat()) await sleep(2);
    },
  };
}

function childrenOf(pid: number): number[] {
  try {
    const list = readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1");
    return list.split(" ").flatMap((text) => (text === "" ? [] : [Number(text)]));
  } catch {
    // It has just ended.
    return [];
  }
}
