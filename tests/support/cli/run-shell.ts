import { execFile } from "node:child_process";

export interface ShellAnswer {
  readonly exit: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a program to its end; a non-zero exit code is not an error. */
export function runProgram(
  file: string,
  args: readonly string[],
  options: {
    readonly env?: NodeJS.ProcessEnv;
    readonly cwd?: string;
    readonly input?: string;
    readonly uid?: number;
    readonly gid?: number;
  } = {},
): Promise<ShellAnswer> {
  return new Promise((resolve, reject) => {
    const { env = process.env, cwd, input, ...user } = options;
    const child = execFile(file, [...args], { env, cwd, timeout: 20_000, ...user }, (error, out, err) => {
      if (error !== null && typeof error.code !== "number") return reject(error);
      resolve({ exit: error === null ? 0 : Number(error.code), out, err });
    });
    // A program may end without reading its input.
    child.stdin?.on("error", () => {});
    child.stdin?.end(input ?? "");
  });
}
