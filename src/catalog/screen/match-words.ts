import { type Concept, conceptsIn, isAnyOf, type Meaning, meaningOf, numberOf } from "./lexicon/lexicon.ts";
import type { Word } from "./lexicon/read-words.ts";

/** What has to be said for a rule to apply: words of each meaning, near each other, in one sentence. */
export interface Saying {
  /** One list for each meaning that has to be there; any concept of the list will do. */
  readonly all: readonly (readonly Concept[])[];
  /** At most this many words from the first to the last. */
  readonly within: number;
  /** Whether the meanings come in this order. */
  readonly inOrder?: boolean;
  /** Concepts that turn the meaning round if one stands before it in the clause: "does not send". */
  readonly unless?: readonly Concept[];
  /** Not for English, where these words in this order mean something else: "if the user does not say". */
  readonly foreign?: boolean;
  /** Not if the text goes on like this: to ask which one is meant is not to ask for consent. */
  readonly unlessThen?: RegExp;
  /** Not if the text reads like this from a little before to a little after. */
  readonly unlessNear?: RegExp;
  /** Concepts that turn the meaning round if one stands between: "must ask before it deletes". */
  readonly never?: readonly Concept[];
  /** How many sentences it may run over; one unless given. */
  readonly sentences?: number;
}

export interface CompiledSaying extends Omit<Saying, "all" | "unless" | "never"> {
  readonly all: readonly Meaning[];
  /** For each meaning, the numbers of its concepts. */
  readonly concepts: readonly (readonly number[])[];
  readonly any: Meaning;
  readonly unless: Meaning | undefined;
  readonly never: Meaning | undefined;
}

export function compileSaying({ all, unless, never, ...rest }: Saying): CompiledSaying {
  return {
    ...rest,
    all: all.map((concepts) => meaningOf(...concepts)),
    concepts: all.map((concepts) => concepts.map(numberOf)),
    any: meaningOf(...all.flat()),
    unless: unless && meaningOf(...unless),
    never: never && meaningOf(...never),
  };
}

export interface WordSpan {
  readonly start: number;
  readonly end: number;
}

/** The words of a text, and for each concept the places in the list of those that mean it. */
export interface IndexedWords {
  readonly words: readonly Word[];
  readonly places: readonly (readonly number[])[];
}

/** All that is said. */
export function meaningIn(words: readonly Word[]): Meaning {
  let [low, high] = [0, 0];
  for (const { meaning } of words) {
    low |= meaning.low;
    high |= meaning.high;
  }
  return { low, high };
}

export function indexWords(words: readonly Word[]): IndexedWords {
  const places: number[][] = [];
  for (const [index, { meaning }] of words.entries())
    for (const concept of conceptsIn(meaning)) (places[concept] ??= []).push(index);
  return { words, places };
}

/** Where it is said first. Only the surroundings of the rarest meaning are read, each word of them `within` times at most. */
export function findSaying({ words, places }: IndexedWords, saying: CompiledSaying): WordSpan | undefined {
  const { within, sentences = 1 } = saying;
  let rarest: readonly number[] | undefined;
  let fewest = Infinity;
  for (const concepts of saying.concepts) {
    let count = 0;
    for (const concept of concepts) count += places[concept]?.length ?? 0;
    if (count === 0) return undefined;
    if (count < fewest) [rarest, fewest] = [concepts, count];
  }
  let tried = 0;
  for (const place of placesOf(places, rarest!)) {
    const { at, sentence } = words[place]!;
    let first = place;
    while (first > tried && at - words[first - 1]!.at <= within && sentence - words[first - 1]!.sentence < sentences)
      first--;
    for (first = Math.max(first, tried); first <= place; first++) {
      const span = sayingAt(words, first, saying);
      if (span !== undefined) return span;
    }
    tried = Math.max(tried, place + 1);
  }
  return undefined;
}

function placesOf(places: IndexedWords["places"], concepts: readonly number[]): readonly number[] {
  const lists = concepts.flatMap((concept) => (places[concept] === undefined ? [] : [places[concept]]));
  return lists.length === 1 ? lists[0]! : [...new Set(lists.flat())].sort((one, other) => one - other);
}

function sayingAt(words: readonly Word[], first: number, saying: CompiledSaying): WordSpan | undefined {
  const { all, any, within, inOrder = false, unless, never, sentences = 1 } = saying;
  const word = words[first]!;
  if (!isAnyOf(word.meaning, inOrder ? all[0]! : any)) return undefined;
  const near: Word[] = [];
  for (let index = first; index < words.length && words[index]!.at - word.at <= within; index++) {
    if (words[index]!.sentence - word.sentence >= sentences) break;
    near.push(words[index]!);
  }
  if (near.length < all.length) return undefined;
  const chosen = inOrder ? chooseInOrder(near, all) : chooseAny(near, all);
  if (chosen === undefined) return undefined;
  if (isAnyOf(chosen[0]!.meaning, negation) && isNegatedTwice(words, first)) return undefined;
  if (unless !== undefined && isTurned(words, first, unless)) return undefined;
  if (never !== undefined && near.some(({ meaning }) => isAnyOf(meaning, never))) return undefined;
  return { start: Math.min(...chosen.map(({ start }) => start)), end: Math.max(...chosen.map(({ end }) => end)) };
}

/** A different word for each meaning. */
function chooseInOrder(near: readonly Word[], all: readonly Meaning[]): readonly Word[] | undefined {
  const chosen: Word[] = [];
  for (const word of near) {
    const wanted = all[chosen.length];
    if (wanted === undefined) break;
    const last = chosen.at(-1);
    if (isAnyOf(word.meaning, wanted) && (last === undefined || word.start >= last.end)) chosen.push(word);
  }
  return chosen.length === all.length ? chosen : undefined;
}

function chooseAny(near: readonly Word[], all: readonly Meaning[]): readonly Word[] | undefined {
  const chosen: Word[] = [];
  for (const wanted of all) {
    const word = near.find(
      (each) =>
        isAnyOf(each.meaning, wanted) && !chosen.some((other) => each.start < other.end && other.start < each.end),
    );
    if (word === undefined) return undefined;
    chosen.push(word);
  }
  return chosen;
}

const negation = meaningOf("not", "unasked");

/** "Nothing is sent without consent" is no order to send. */
function isNegatedTwice(words: readonly Word[], first: number): boolean {
  const { clause, at } = words[first]!;
  return words.some(
    (word) =>
      word.clause === clause &&
      Math.abs(at - word.at) > 2 &&
      at - word.at < 8 &&
      word.at - at < 6 &&
      isAnyOf(word.meaning, negation),
  );
}

const reach = 12;

function isTurned(words: readonly Word[], first: number, unless: Meaning): boolean {
  const { at, clause } = words[first]!;
  for (let index = first; index >= 0; index--) {
    const word = words[index]!;
    if (word.clause !== clause || at - word.at > reach) return false;
    if (isAnyOf(word.meaning, unless)) return true;
  }
  return false;
}
