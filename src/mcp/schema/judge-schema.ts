import { isRecord } from "../../core/is-record.ts";
import { prepareSchema } from "./prepare-schema.ts";
import { schemaBounds } from "./schema-bounds.ts";

type SchemaJudgement = { readonly ok: true } | { readonly ok: false; readonly reason: string };

/**
 * Whether a schema is fit to be registered: an object within bounds, references within itself, every keyword with a
 * value it can have. Stricter than checking, which passes over what is merely odd: here its maker can still mend it.
 */
export function judgeSchema(schema: unknown): SchemaJudgement {
  if (!isRecord(schema)) return { ok: false, reason: "the schema is not an object" };
  const prepared = prepareSchema(schema, schemaBounds);
  if ("hostile" in prepared) return { ok: false, reason: prepared.hostile };
  return prepared.odd.length === 0 ? { ok: true } : { ok: false, reason: `the schema has ${prepared.odd.join("; ")}` };
}
