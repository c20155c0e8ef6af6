import { roundNumbers } from "../../core/exact-number.ts";
import { isRecord } from "../../core/is-record.ts";
import type { JsonSchema } from "../messages/tool.ts";
import type { checkWithLibrary, LibraryOutcome } from "./check-with-library.ts";
import { type AcceptsValue, compilePlain } from "./compile-plain.ts";
import { explainMismatch } from "./explain-mismatch.ts";
import { measureValue, schemaBounds, type ValueBounds } from "./measure-value.ts";
import { type PreparedSchema, prepareSchema } from "./prepare-schema.ts";
import type { SubSchema } from "./schema-keywords.ts";

export type SchemaVerdict =
  | { readonly ok: true }
  /** `unchecked` if the value could not be compared with the schema: it may fit. */
  | { readonly ok: false; readonly message: string; readonly unchecked?: true };

export interface SchemaCheckerOptions {
  readonly schema?: ValueBounds;
  readonly value?: ValueBounds;
  /** How long a check that could run away may take. It blocks the process. */
  readonly milliseconds?: number;
  /** Called once for a schema with parts that can't be checked, and once for a schema that can't be checked at all. */
  onOdd?(schema: JsonSchema, reason: string): void;
}

/**
 * Checks values against untrusted JSON Schemas (2020-12) without generating code from them. A schema that is merely odd
 * stays usable: the parts that can't be checked are ignored. A schema that can't be checked within its bounds (endless
 * or external references, too deep, out of time on a small value) accepts every value: who made it checks for itself.
 * `format` is an annotation. Numbers that no double holds are compared rounded. Messages name fields and what was expected, never values.
 */
export interface SchemaChecker {
  /** A promise only while the validator is being loaded. Plain schemas do not need it. */
  check(schema: JsonSchema, value: unknown): SchemaVerdict | Promise<SchemaVerdict>;
}

type Check = (value: unknown) => SchemaVerdict | Promise<SchemaVerdict>;

const fine: SchemaVerdict = { ok: true };

const unchecked = new WeakMap<object, string>();

/** Why no value is checked against a schema, if a check has shown that it can't be done. Nothing is checked here. */
export function whyUnchecked(schema: JsonSchema): string | undefined {
  return unchecked.get(schema);
}
const valueBounds: ValueBounds = { depth: 64, nodes: 100_000 };

/** Schema size times value size up to which a check without risky keywords needs no time limit. It takes milliseconds. */
const smallWork = 20_000;

/** If time runs out on a value this small, the schema is at fault; on a larger one, the caller. */
const smallNodes = 1_000;
const smallText = 10_000;

export function createSchemaChecker(options: SchemaCheckerOptions = {}): SchemaChecker {
  const bounds = options.value ?? valueBounds;
  const milliseconds = options.milliseconds ?? 50;
  const checks = new WeakMap<object, Check>();
  let library: typeof checkWithLibrary | undefined;

  function createCheck(schema: JsonSchema): Check {
    const prepared = prepareSchema(roundNumbers(schema) as JsonSchema, options.schema ?? schemaBounds);
    if ("uncheckable" in prepared) return acceptAll(schema, prepared.uncheckable);
    if (prepared.odd.length > 0) options.onOdd?.(schema, prepared.odd.join("; "));
    const accepts = compilePlain(prepared, bounds.depth);
    return accepts === undefined ? createLibraryCheck(schema, prepared) : createPlainCheck(prepared, accepts, bounds);
  }

  function acceptAll(schema: JsonSchema, reason: string): Check {
    unchecked.set(schema, reason);
    options.onOdd?.(schema, reason);
    return () => fine;
  }

  function createLibraryCheck(schema: JsonSchema, prepared: PreparedSchema): Check {
    let wasted = 0;
    const check: Check = (value) => {
      const nodes = measureValue(value, bounds);
      if (typeof nodes === "string") return leaveUnchecked(`is ${nodes} to be checked`);
      if (library === undefined) return loadLibrary().then(() => checks.get(schema)?.(value) ?? check(value));
      const direct = !prepared.risky && nodes * prepared.size <= smallWork;
      const outcome = direct ? library(prepared, value) : runFairly(library, prepared, value);
      if (outcome.done) {
        wasted = 0;
        return outcome.problems === undefined ? fine : refuse(...outcome.problems);
      }
      if (outcome.why === "depth") return leaveUnchecked("is too deep to be checked");
      if (outcome.why === "error") return leaveUnchecked("has content that can't be checked");
      if (nodes > smallNodes || JSON.stringify(value).length > smallText)
        return leaveUnchecked("is too large to be checked in time");
      // A schema is blamed for the CPU time it used, added up over consecutive timeouts.
      wasted += outcome.cpuMilliseconds;
      if (wasted >= milliseconds / 2) checks.set(schema, acceptAll(schema, "checking against it takes too long"));
      return fine;
    };
    return check;
  }

  /** The limit is wall-clock time. If this process got too little CPU time, the check gets a longer limit. */
  function runFairly(check: typeof checkWithLibrary, prepared: PreparedSchema, value: unknown): LibraryOutcome {
    for (let limit = milliseconds; ; limit *= 2) {
      const outcome = check(prepared, value, limit);
      const wasStarved = !outcome.done && outcome.why === "time" && outcome.cpuMilliseconds < milliseconds / 2;
      if (!wasStarved || limit >= milliseconds * 8) return outcome;
    }
  }

  async function loadLibrary(): Promise<void> {
    library ??= (await import("./check-with-library.ts")).checkWithLibrary;
  }

  return {
    check(schema, value) {
      let check = checks.get(schema);
      if (check === undefined) {
        if (!isRecord(schema)) return fine;
        check = createCheck(schema);
        checks.set(schema, check);
      }
      return check(roundNumbers(value));
    },
  };
}

function createPlainCheck(prepared: PreparedSchema, accepts: AcceptsValue, bounds: ValueBounds): Check {
  const parts = new Map<SubSchema, AcceptsValue | undefined>();
  const fits = (sub: SubSchema, part: unknown): boolean => {
    if (!parts.has(sub)) parts.set(sub, compilePlain({ ...prepared, root: sub }, bounds.depth));
    return parts.get(sub)?.(part) === true;
  };
  return (value) => {
    if (accepts(value)) return fine;
    const problems = explainMismatch(prepared.root, value, prepared.targets, fits);
    const tooDeep = problems.length === 0 && measureValue(value, { ...bounds, nodes: Infinity }) === "too deep";
    return tooDeep ? leaveUnchecked("is too deep to be checked") : refuse(...problems);
  };
}

function refuse(...problems: readonly string[]): SchemaVerdict {
  return { ok: false, message: problems.length === 0 ? "does not fit the schema" : problems.join("\n") };
}

function leaveUnchecked(message: string): SchemaVerdict {
  return { ok: false, message, unchecked: true };
}
