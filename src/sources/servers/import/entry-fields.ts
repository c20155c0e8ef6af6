import { isRecord } from "../../../core/is-record.ts";
import { envReference, isVariableName } from "./dialects.ts";
import type { ConversionNotes } from "./imported-server.ts";

/** Reads the fields of another client's entry, each under any of its names, and remembers which were read. */
export interface EntryFields {
  text(...names: string[]): string | undefined;
  texts(...names: string[]): readonly string[] | undefined;
  record(...names: string[]): Readonly<Record<string, string>> | undefined;
  number(...names: string[]): number | undefined;
  flag(...names: string[]): boolean | undefined;
  /** A nested object with its own fields. */
  inside(...names: string[]): EntryFields | undefined;
  /** The fields that were not read. */
  unread(): readonly string[];
}

export function createEntryFields(
  entry: Readonly<Record<string, unknown>>,
  translate: (text: string) => string,
  notes: ConversionNotes,
): EntryFields {
  const read = new Set<string>();
  function find(names: readonly string[]): unknown {
    for (const name of names) read.add(name);
    const name = names.find((each) => Object.hasOwn(entry, each) && entry[each] !== null);
    return name === undefined ? undefined : entry[name];
  }
  function toText(value: unknown, name: string): string | undefined {
    if (typeof value === "string") return translate(value);
    if (typeof value === "number" || typeof value === "boolean") return String(value);
    if (
      isRecord(value) &&
      value["source"] === "env" &&
      typeof value["id"] === "string" &&
      isVariableName(value["id"])
    ) {
      return envReference(value["id"]);
    }
    notes.refuse(`${name} is not a string`);
    return undefined;
  }
  return {
    text(...names) {
      const value = find(names);
      return value === undefined ? undefined : toText(value, names[0] ?? "");
    },
    texts(...names) {
      const value = find(names);
      if (value === undefined) return undefined;
      const items: unknown[] = Array.isArray(value) ? value : [value];
      return items.flatMap((item) => toText(item, names[0] ?? "") ?? []);
    },
    record(...names) {
      const value = find(names);
      if (value === undefined) return undefined;
      if (!isRecord(value)) {
        notes.refuse(`${names[0]} is not an object`);
        return undefined;
      }
      const entries = Object.entries(value)
        .filter(([, item]) => item !== null)
        .map(([key, item]) => [key, toText(item, `${names[0]}.${key}`) ?? ""]);
      return Object.fromEntries(entries) as Record<string, string>;
    },
    number(...names) {
      const value = find(names);
      return typeof value === "number" && Number.isFinite(value) ? value : undefined;
    },
    flag(...names) {
      const value = find(names);
      return typeof value === "boolean" ? value : undefined;
    },
    inside(...names) {
      const value = find(names);
      return isRecord(value) ? createEntryFields(value, translate, notes) : undefined;
    },
    unread: () => Object.keys(entry).filter((name) => !read.has(name)),
  };
}
