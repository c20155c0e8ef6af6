import { readFileSync } from "node:fs";
import { packageFile } from "../../core/version.ts";

export type LanguageFile = "synonyms" | "goals" | "forms" | "function-words" | "dictionary" | "english";

/** The lines of a file in `data/search/`, without its comments. */
export function readLanguageFile(name: LanguageFile): string[] {
  return readFileSync(packageFile(`data/search/${name}.txt`), "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
}

/** Makes a table when it is first needed: no start-up path pays for a search that may never come. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
