import { readLanguageFile } from "./language-data.ts";
import { splitWords, stemWord } from "./words.ts";
import { memoized } from "../memoized.ts";

const groups = memoized(() => {
  const found = new Map<string, string[]>();
  for (const [place, line] of readLanguageFile("synonyms").entries()) {
    for (const stem of new Set(splitWords(line).map(stemWord))) {
      const known = found.get(stem);
      if (known === undefined) found.set(stem, [`=${place}`]);
      else known.push(`=${place}`);
    }
  }
  return found;
});

/** The groups of synonyms that a word is in; their names begin with a character that no word has. */
export function groupsOf(stem: string): readonly string[] {
  return groups().get(stem) ?? [];
}

/** Every English word that the search knows besides those of the tools. */
export const thesaurusWords = memoized(() => {
  const lines = [...readLanguageFile("synonyms"), ...readLanguageFile("goals")];
  return new Set(lines.flatMap(splitWords));
});
