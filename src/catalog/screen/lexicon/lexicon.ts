import { plainLetters } from "../plain-letters.ts";
import { circumstances } from "./circumstances.ts";
import { concealing } from "./concealing.ts";
import { doing } from "./doing.ts";
import { instructing } from "./instructing.ts";

/** What a word can mean to the rules. `url`, `address` and `secretfile` are recognised by their shape. */
export type Concept =
  | keyof typeof instructing
  | keyof typeof doing
  | keyof typeof circumstances
  | keyof typeof concealing
  | "url"
  | "address"
  | "secretfile";

const shapes = ["url", "address", "secretfile"] as const;
const lists = { ...instructing, ...doing, ...circumstances, ...concealing };
const names = [...Object.keys(lists), ...shapes] as Concept[];
const bits = new Map(names.map((name, index) => [name, 2 ** index]));

/** A set of concepts, as the sum of their bits. There are more than 31, so the bits are split over two numbers. */
export interface Meaning {
  readonly low: number;
  readonly high: number;
}

const half = 25;

export function meaningOf(...concepts: readonly Concept[]): Meaning {
  let [low, high] = [0, 0];
  for (const concept of concepts) {
    const index = Math.log2(bits.get(concept)!);
    if (index < half) low |= 1 << index;
    else high |= 1 << (index - half);
  }
  return { low, high };
}

/** The number of a concept, and the numbers of all that a word means. */
export const numberOf = (concept: Concept): number => Math.log2(bits.get(concept)!);

export function conceptsIn({ low, high }: Meaning): readonly number[] {
  const key = high * 2 ** half + low;
  const before = conceptLists.get(key);
  if (before !== undefined) return before;
  const list = names.flatMap((_, index) =>
    ((index < half ? low >> index : high >> (index - half)) & 1) === 1 ? [index] : [],
  );
  conceptLists.set(key, list);
  return list;
}

const conceptLists = new Map<number, readonly number[]>();

export const isAnyOf = (one: Meaning, other: Meaning): boolean =>
  (one.low & other.low) !== 0 || (one.high & other.high) !== 0;

/** A phrase goes on with these words; a stem ends with `*`. */
export interface Phrase {
  readonly rest: readonly string[];
  readonly meaning: Meaning;
}

export interface WordFacts {
  meaning: Meaning;
  phrases: Phrase[];
  /** The letters with which the second words of the phrases begin, as bits. */
  seconds: number;
}

interface Lexicon {
  readonly words: Map<string, WordFacts>;
  readonly stems: Map<string, WordFacts>;
  /** Of scripts that set no spaces: looked up at every place of a text. */
  readonly unspaced: Map<string, Meaning>;
  readonly maxUnspaced: number;
}

let built: Lexicon | undefined;

/** Made from the lists when it is first used. */
export const lexiconOf = (): Lexicon => (built ??= buildLexicon());
export const isUnspaced = (text: string): boolean => /[\u3040-\u30ff\u3400-\u9fff]/.test(text);

function buildLexicon(): Lexicon {
  const found = {
    words: new Map<string, WordFacts>(),
    stems: new Map<string, WordFacts>(),
    unspaced: new Map<string, Meaning>(),
  };
  for (const [concept, list] of Object.entries(lists)) {
    const meaning = meaningOf(concept as Concept);
    for (const entry of list.split("|")) addEntry(found, plainLetters(entry.trim()), meaning);
  }
  const maxUnspaced = Math.max(...[...found.unspaced.keys()].map(({ length }) => length));
  return { ...found, maxUnspaced };
}

function addEntry({ words, stems, unspaced }: Omit<Lexicon, "maxUnspaced">, entry: string, meaning: Meaning): void {
  if (entry === "") return;
  if (isUnspaced(entry)) {
    unspaced.set(entry, joined(unspaced.get(entry), meaning));
    return;
  }
  const [first = "", ...rest] = entry.split(" ");
  const isStem = first.endsWith("*");
  const map = isStem ? stems : words;
  const key = isStem ? first.slice(0, -1) : first;
  const facts = map.get(key) ?? { meaning: nothing, phrases: [], seconds: 0 };
  if (rest.length === 0) facts.meaning = joined(facts.meaning, meaning);
  else {
    facts.phrases.push({ rest, meaning });
    facts.seconds |= letterBit(rest[0]!.charCodeAt(0));
  }
  map.set(key, facts);
}

export const letterBit = (code: number): number => 1 << (code & 31);

export const nothing: Meaning = { low: 0, high: 0 };

const joined = (one: Meaning = nothing, other: Meaning): Meaning => ({
  low: one.low | other.low,
  high: one.high | other.high,
});

/** What was found out about words before. Texts repeat themselves. */
const known = new Map<string, WordFacts | null>();
const maxKnown = 20_000;

export function factsOf(word: string): WordFacts | null {
  const before = known.get(word);
  if (before !== undefined) return before;
  if (known.size >= maxKnown) known.clear();
  const facts =
    lookUp(word) ?? (arabicParticles.test(word) ? lookUp(word.replace(arabicParticles, "")) : undefined) ?? null;
  known.set(word, facts);
  return facts;
}

/** And, so, in, for, like, the: written as one word with what follows. */
const arabicParticles = /^[وف]?[بلك]?(?:ال)?(?=[\u0621-\u064a]{3})/;

export const longestWord = 64;

function lookUp(word: string): WordFacts | undefined {
  const { words, stems } = lexiconOf();
  if (word.length > longestWord) return undefined;
  let facts = words.get(word);
  for (let length = 2; length <= word.length; length++) {
    const stem = stems.get(word.slice(0, length));
    if (stem === undefined) continue;
    facts =
      facts === undefined
        ? stem
        : {
            meaning: joined(facts.meaning, stem.meaning),
            phrases: [...facts.phrases, ...stem.phrases],
            seconds: facts.seconds | stem.seconds,
          };
  }
  // Elided articles: l'utente, d'accès.
  if (facts === undefined && /^[a-z]{1,4}'/.test(word)) return lookUp(word.slice(word.indexOf("'") + 1));
  if (facts === undefined && word.endsWith("'s")) return lookUp(word.slice(0, -2));
  return facts;
}
