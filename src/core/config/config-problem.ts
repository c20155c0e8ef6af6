import { basename } from "node:path";
import { Fault } from "../fault.ts";

/** One thing that is wrong with a configuration, and where. Lines and columns count from 1. */
export interface ConfigProblem {
  readonly path: string;
  readonly line: number;
  readonly column: number;
  readonly message: string;
  /** The known name that was probably meant. */
  readonly suggestion?: string;
  /** The environment variable that is not set. */
  readonly variable?: string;
}

/** All problems at once: for people in the message, for programs in `detail.problems`. */
export function problemsFault(file: string, problems: readonly ConfigProblem[]): Fault {
  const count = problems.length === 1 ? "a problem" : `${problems.length} problems`;
  const lines = problems.map((problem) => `  ${formatProblemAt(file, problem)}`);
  const message = [
    `${file} has ${count}:`,
    ...lines,
    `Fix it, then run \`clawport config check --config ${JSON.stringify(file)}\`.`,
  ].join("\n");
  return new Fault("config", message, { detail: { file, problems } });
}

/** `clawport.json5:2:9 hub.prot is not a known setting; did you mean "port"?` */
export function formatProblemAt(file: string, problem: ConfigProblem): string {
  return `${basename(file)}:${problem.line}:${problem.column} ${formatProblem(problem)}`;
}

/** `hub.prot is not a known setting; did you mean "port"?` */
export function formatProblem({ path, message, suggestion }: ConfigProblem): string {
  const hint = suggestion === undefined ? "" : `; did you mean ${JSON.stringify(suggestion)}?`;
  return `${path === "" ? "" : `${path} `}${message}${hint}`;
}
