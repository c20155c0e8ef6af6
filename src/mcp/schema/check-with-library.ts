import { Script } from "node:vm";
import { type Schema, validate } from "@cfworker/json-schema";
import { explainMismatch } from "./explain-mismatch.ts";
import type { Fits } from "./explain-value.ts";
import type { PreparedSchema } from "./prepare-schema.ts";
import type { Targets } from "./schema-keywords.ts";

/** The outcome of a check that may have had a time limit. */
export type LibraryOutcome =
  | { readonly done: true; readonly problems: readonly string[] | undefined }
  | { readonly done: false; readonly why: "depth" }
  | { readonly done: false; readonly why: "error" }
  | { readonly done: false; readonly why: "time"; readonly cpuMilliseconds: number };

/**
 * Checks a value with the validator and explains what does not fit. `problems` is undefined if the value fits. A time
 * limit stops everything, even a running regular expression.
 */
export function checkWithLibrary(schema: PreparedSchema, value: unknown, milliseconds?: number): LibraryOutcome {
  const before = process.cpuUsage();
  try {
    const job = () => findProblems(schema, value);
    return { done: true, problems: milliseconds === undefined ? job() : runWithin(job, milliseconds) };
  } catch (error) {
    if (error instanceof RangeError) return { done: false, why: "depth" };
    if (!isTimeOut(error)) return { done: false, why: "error" };
    const { user, system } = process.cpuUsage(before);
    return { done: false, why: "time", cpuMilliseconds: (user + system) / 1000 };
  }
}

function findProblems({ root, targets }: PreparedSchema, value: unknown): readonly string[] | undefined {
  const fits = createFits(targets);
  return fits(root, value) ? undefined : explainMismatch(root, value, targets, fits);
}

function createFits(targets: Targets): Fits {
  const lookup: Record<string, Schema | boolean> = Object.assign(Object.create(null), targets);
  return (schema, value) => isForLibrary(schema) && validate(value, schema, "2020-12", lookup, true).valid;
}

/** Always true. The library's types differ only in that their lists are mutable. */
function isForLibrary(schema: unknown): schema is Schema | boolean {
  return schema !== undefined;
}

const jobKey = Symbol.for("clawport.schema.job");
// The script is a constant: no part of a schema is ever compiled. Only a script can have a time limit that stops a
// running regular expression, and it finds the job through the global object.
const script = new Script(`globalThis[Symbol.for("clawport.schema.job")]()`);

function runWithin<T>(job: () => T, milliseconds: number): T {
  const host = globalThis as Record<symbol, unknown>;
  host[jobKey] = job;
  try {
    return script.runInThisContext({ timeout: milliseconds }) as T;
  } finally {
    Reflect.deleteProperty(host, jobKey);
  }
}

function isTimeOut(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT";
}
