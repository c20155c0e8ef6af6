import { isRecord } from "../../core/is-record.ts";
import type { JsonSchema } from "../messages/tool.ts";
import type { checkWithLibrary, LibraryOutcome } from "./check-with-library.ts";
import { type Accepts, compilePlain } from "./compile-plain.ts";
import { explainMismatch } from "./explain-mismatch.ts";
import { measureValue, schemaBounds, type ValueBounds } from "./measure-value.ts";
import { type PreparedSchema, prepareSchema } from "./prepare-schema.ts";
import type { SubSchema } from "./schema-keywords.ts";

export type SchemaVerdict = { readonly ok: true } | { readonly ok: false; readonly message: string };

export interface SchemaCheckerOptions {
  readonly schema?: ValueBounds;
  readonly value?: ValueBounds;
  /** How long a check that could run away may take. Everything else waits for it. */
  readonly milliseconds?: number;
  /** Told once about a schema of which a part can't be checked, and once about one that is refused. */
  onOdd?(schema: JsonSchema, reason: string): void;
}

/**
 * Checks values against JSON Schemas (2020-12) that came from outside; no code is ever made of one. A schema that is
 * merely odd stays usable: what can't be checked in it is ignored. A schema that could hang or exhaust us (references
 * without end or to elsewhere, too deep, out of time on a small value) refuses every value, so its tool can't be used.
 * `format` is an annotation. Messages name fields and what was expected, never values.
 */
export interface SchemaChecker {
  /** A promise only while the validator is being loaded, which plain schemas never need. */
  check(schema: JsonSchema, value: unknown): SchemaVerdict | Promise<SchemaVerdict>;
}

type Check = (value: unknown) => SchemaVerdict | Promise<SchemaVerdict>;

const fine: SchemaVerdict = { ok: true };
const valueBounds: ValueBounds = { depth: 64, nodes: 100_000 };

/** Schema size times value size up to which a check without risky keywords needs no time limit: a few milliseconds. */
const smallWork = 20_000;

/** Running out of time on a value as small as this is the schema's doing, on a larger one the caller's. */
const smallNodes = 1_000;
const smallText = 10_000;

export function createSchemaChecker(options: SchemaCheckerOptions = {}): SchemaChecker {
  const bounds = options.value ?? valueBounds;
  const milliseconds = options.milliseconds ?? 50;
  const checks = new WeakMap<object, Check>();
  let library: typeof checkWithLibrary | undefined;

  function createCheck(schema: JsonSchema): Check {
    const prepared = prepareSchema(schema, options.schema ?? schemaBounds);
    if ("hostile" in prepared) return refuseAll(schema, prepared.hostile);
    if (prepared.odd.length > 0) options.onOdd?.(schema, prepared.odd.join("; "));
    const accepts = compilePlain(prepared, bounds.depth);
    return accepts === undefined ? createLibraryCheck(schema, prepared) : createPlainCheck(prepared, accepts, bounds);
  }

  function refuseAll(schema: JsonSchema, reason: string): Check {
    options.onOdd?.(schema, reason);
    const verdict = refuse(`nothing can be checked against this schema: ${reason}; its maker has to mend it`);
    return () => verdict;
  }

  function createLibraryCheck(schema: JsonSchema, prepared: PreparedSchema): Check {
    let wasted = 0;
    const check: Check = (value) => {
      const nodes = measureValue(value, bounds);
      if (typeof nodes === "string") return refuse(`is ${nodes} to be checked`);
      if (library === undefined) return loadLibrary().then(() => checks.get(schema)?.(value) ?? check(value));
      const direct = !prepared.risky && nodes * prepared.size <= smallWork;
      const outcome = direct ? library(prepared, value) : runFairly(library, prepared, value);
      if (outcome.done) {
        wasted = 0;
        return outcome.problems === undefined ? fine : refuse(...outcome.problems);
      }
      if (outcome.why === "depth") return refuse("is too deep to be checked");
      if (outcome.why === "error") return refuse("holds something that can't be checked");
      if (nodes > smallNodes || JSON.stringify(value).length > smallText)
        return refuse("is too large to be checked in time");
      // What a schema is blamed for is the work it made, time-out after time-out.
      wasted += outcome.cpuMilliseconds;
      if (wasted < milliseconds / 2) return refuse("could not be checked in time on this busy machine; try again");
      const refuseFromNow = refuseAll(schema, "checking against it takes too long");
      checks.set(schema, refuseFromNow);
      return refuseFromNow(value);
    };
    return check;
  }

  /** The limit is by the clock, which also runs while a busy machine does other things: then there is more of it. */
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
      return check(value);
    },
  };
}

function createPlainCheck(prepared: PreparedSchema, accepts: Accepts, bounds: ValueBounds): Check {
  const parts = new Map<SubSchema, Accepts | undefined>();
  const fits = (sub: SubSchema, part: unknown): boolean => {
    if (!parts.has(sub)) parts.set(sub, compilePlain({ ...prepared, root: sub }, bounds.depth));
    return parts.get(sub)?.(part) === true;
  };
  return (value) => {
    if (accepts(value)) return fine;
    const problems = explainMismatch(prepared.root, value, prepared.targets, fits);
    const tooDeep = problems.length === 0 && measureValue(value, { ...bounds, nodes: Infinity }) === "too deep";
    return tooDeep ? refuse("is too deep to be checked") : refuse(...problems);
  };
}

function refuse(...problems: readonly string[]): SchemaVerdict {
  return { ok: false, message: problems.length === 0 ? "does not fit the schema" : problems.join("\n") };
}
