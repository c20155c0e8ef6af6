import { readFileSync } from "node:fs";
import { packageFile } from "../../core/version.ts";

export type LanguageFile = "synonyms" | "goals" | "forms" | "function-words" | "dictionary" | "english";

/** The lines of a file in `data/search/`, without its comments. */
export function readLanguageFile(name: LanguageFile): string[] {
  return readFileSync(packageFile(`data/search/${name}.txt`), "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
}
