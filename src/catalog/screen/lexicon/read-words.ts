import { isSecretPath } from "../secret-paths.ts";
import {
  factsOf,
  isUnspaced,
  letterBit,
  lexiconOf,
  longestWord,
  type Meaning,
  meaningOf,
  nothing,
  type Phrase,
  type WordFacts,
} from "./lexicon.ts";
import { alphabet, createWordTree, letterIndex, type WordTree } from "./word-tree.ts";

/** A word of a text that means something to the rules. */
export interface Word {
  /** Its number among the words of the text. */
  readonly at: number;
  /** The numbers of its sentence, and of its clause. */
  readonly sentence: number;
  readonly clause: number;
  readonly start: number;
  readonly end: number;
  readonly meaning: Meaning;
}

let tree: WordTree<WordFacts | null> | undefined;

/** Stands for a word that is the name of a file with secrets. */
const secretFile: WordFacts = { meaning: { low: 0, high: 0 }, phrases: [], seconds: 0 };
/** Without a dot, a dash or a path, only these are. */
const bareSecretFiles = ["kubeconfig", "keyring", "keyrings", "wallet", "wallets"];

const path = String.raw`(?:https?|ftp|wss?):\/\/[^\s"'<>)\]\x60，。]+|(?<![\w/])(?:~|\.{1,2}|\$\{?home\}?|%\w{3,12}%)?[\\/][\w.~*-][^\s"'<>)\],;\x60，。]*|(?<![\w.])\.[a-z][\w.-]*(?:\/[\w.-]+)*`;
const pathPattern = new RegExp(path, "y");
const addressPattern = /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/y;
const otherWord = /[\p{L}\p{N}](?:[\p{L}\p{N}\p{M}_'’.-]*[\p{L}\p{N}\p{M}])?|[。！？；，、]/uy;
const paragraph = /\n\s*\n|\n\s*[-*•#]/y;

const otherLetters = /[\u00aa\u00b5\u00ba\u00c0-\u1fff\u3040-\ud7ff\uf900-\uffef]/;

/** What a character can begin or be a part of. */
const letter = 1;
const inWord = 2;
const inAddress = 4;
const opensPath = 8;
const endsSentence = 16;
const characters = new Uint8Array(128);
for (const code of characters.keys()) {
  const sign = String.fromCharCode(code);
  characters[code] =
    (/[a-z0-9]/.test(sign) ? letter : 0) |
    (/[_'.-]/.test(sign) ? inWord : 0) |
    (/[\w.+-]/.test(sign) ? inAddress : 0) |
    (/[~.$%\\/]/.test(sign) ? opensPath : 0) |
    (/[,.!?;:]/.test(sign) ? endsSentence : 0);
}

const isSpace = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at);
  return code <= 0x20 ? code === 0x20 || (code >= 9 && code <= 13) : code > 0x7f && /\s/.test(text[at]!);
};

/** The end of a match that begins exactly here; -1 if there is none. */
function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : -1;
}

interface OpenPhrase {
  readonly phrase: Phrase;
  next: number;
  readonly at: number;
  readonly start: number;
}

/**
 * The words of a text whose letters are plain, see `plainLetters`. One pass over its characters: most words are told from
 * those of the lexicon by their first letters, and nothing is made of them.
 */
export function readWords(text: string): readonly Word[] {
  const { children, facts: knownFacts } = (tree ??= createWordTree<WordFacts | null>([
    ...lexiconOf().words.keys(),
    ...lexiconOf().stems.keys(),
    ...bareSecretFiles,
  ]));
  const isAscii = !otherLetters.test(text);
  const found: Word[] = [];
  let open: OpenPhrase[] = [];
  let fresh: readonly Phrase[] = noPhrases;
  let seconds = 0;
  let freshAt = 0;
  let freshStart = 0;
  let isSorted = true;
  let at = 0;
  let sentence = 0;
  let clause = 0;
  let addressEnd = -1;
  let noAddress = -1;
  const { length } = text;

  function takeWord(start: number, end: number, facts: WordFacts | null): void {
    if (open.length > 0 || (seconds & letterBit(text.charCodeAt(start))) !== 0) goOn(start, end);
    fresh = noPhrases;
    seconds = 0;
    if (facts !== null) {
      if (facts.meaning !== nothing) found.push({ at, sentence, clause, start, end, meaning: facts.meaning });
      fresh = facts.phrases;
      seconds = facts.seconds;
      freshAt = at;
      freshStart = start;
    }
    at++;
  }

  function goOn(start: number, end: number): void {
    const going: OpenPhrase[] = [];
    for (let index = fresh.length - 1; index >= 0; index--) {
      const phrase = fresh[index]!;
      if (!isWord(text, start, end, phrase.rest[0]!)) continue;
      if (phrase.rest.length === 1) finish(phrase, freshAt, freshStart, end);
      else going.push({ phrase, next: 1, at: freshAt, start: freshStart });
    }
    if (open.length > 0) {
      const still: OpenPhrase[] = [];
      for (let index = open.length - 1; index >= 0; index--) {
        const each = open[index]!;
        const { phrase } = each;
        if (!isWord(text, start, end, phrase.rest[each.next]!)) continue;
        if (++each.next === phrase.rest.length) finish(phrase, each.at, each.start, end);
        else still.push(each);
      }
      open = still.toReversed();
    }
    if (going.length > 0) open = [...open, ...going.toReversed()];
  }

  function finish(phrase: Phrase, from: number, start: number, end: number): void {
    found.push({ at: from, sentence, clause, start, end, meaning: phrase.meaning });
    isSorted = false;
  }

  function takeShape(start: number, end: number): void {
    const word = text.slice(start, end);
    const shaped = shapeOf(word);
    if (shaped === undefined) {
      takeWord(start, end, factsOf(word));
      return;
    }
    found.push({ at: at++, sentence, clause, start, end, meaning: shaped });
    close();
  }

  function close(): void {
    if (open.length > 0) open = [];
    fresh = noPhrases;
    seconds = 0;
  }

  for (let index = 0; index < length;) {
    const code = text.charCodeAt(index);
    const kind = code < 128 ? characters[code]! : 0;
    if ((kind & opensPath) !== 0) {
      const end = endOf(pathPattern, text, index);
      if (end !== -1) {
        takeShape(index, end);
        index = end;
        continue;
      }
    }
    if ((kind & inAddress) !== 0) {
      if (index >= addressEnd) {
        addressEnd = index + 1;
        while (addressEnd < length && isPartOfAddress(text.charCodeAt(addressEnd))) addressEnd++;
      }
      if (addressEnd !== noAddress && addressEnd < length && text.charCodeAt(addressEnd) === 0x40) {
        const end = endOf(addressPattern, text, index);
        if (end !== -1) {
          takeShape(index, end);
          index = end;
          continue;
        }
        noAddress = addressEnd;
      }
    }
    if ((kind & letter) !== 0) {
      let node = 0;
      let end = index;
      let last = 0;
      let next = code;
      let isInTree = true;
      for (;;) {
        if (isInTree) {
          const child = children[node * alphabet + letterIndex[next]!]!;
          if (child === 0) isInTree = false;
          else node = child;
        }
        // Past the end there is no number, and that would slow down the whole loop.
        next = ++end < length ? text.charCodeAt(end) : 0;
        if (next >= 128) break;
        last = characters[next]!;
        if ((last & letter) === 0) break;
      }
      if (next === 0x3a && text.startsWith("://", end)) {
        const whole = endOf(pathPattern, text, index);
        if (whole !== -1) {
          takeShape(index, whole);
          index = whole;
          continue;
        }
      }
      if (next >= 128 && !isAscii) {
        const whole = endOf(otherWord, text, index);
        takeOther(index, whole);
        index = whole;
        continue;
      }
      if (next < 128 && (last & inWord) !== 0) {
        const whole = endOf(isAscii ? asciiWord : otherWord, text, index);
        if (whole > end) {
          takeOther(index, whole);
          index = whole;
          continue;
        }
      }
      // All words that leave the tree at the same place have the same meaning.
      const place = 2 * node + (isInTree && end - index <= longestWord ? 1 : 0);
      let facts = knownFacts[place];
      if (facts === undefined) {
        const word = text.slice(index, end);
        facts = shapeOf(word) === undefined ? factsOf(word) : secretFile;
        if (end - index <= longestWord) knownFacts[place] = facts;
      }
      if (facts === secretFile) {
        found.push({ at: at++, sentence, clause, start: index, end, meaning: meanings.secretfile });
        close();
      } else if (facts !== null || seconds !== 0 || open.length > 0) {
        takeWord(index, end, facts);
      } else at++;
      index = end;
      continue;
    }
    if ((kind & endsSentence) !== 0) {
      if (index + 1 === length || isSpace(text, index + 1)) {
        clause++;
        // A colon introduces: what follows belongs to what came before it.
        if (code !== 0x2c && code !== 0x3a) sentence++;
        close();
      }
      index++;
    } else if (code === 0x0a) {
      const end = endOf(paragraph, text, index);
      if (end === -1) index++;
      else {
        clause++;
        sentence++;
        close();
        index = end;
      }
    } else if (code < 128 || isAscii) index++;
    else {
      const end = endOf(otherWord, text, index);
      if (end === -1) index += (code & 0xfc00) === 0xd800 && (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00 ? 2 : 1;
      else {
        takeOther(index, end);
        index = end;
      }
    }
  }

  function takeOther(start: number, end: number): void {
    const code = text.charCodeAt(start);
    const word = text.slice(start, end);
    if (code >= 0x3000 && /[。！？；，、]/.test(word)) {
      clause++;
      if (!/^[，、]$/.test(word)) sentence++;
      close();
    } else if (code > 0x2fff && isUnspaced(word) && shapeOf(word) === undefined)
      at = readUnspaced(word, start, { at, sentence, clause }, found);
    else takeShape(start, end);
  }

  return isSorted ? found : found.sort((one, other) => one.at - other.at);
}

const noPhrases: readonly Phrase[] = [];
const asciiWord = /[a-z0-9](?:[a-z0-9_'.-]*[a-z0-9])?/y;
const isPartOfAddress = (code: number): boolean => code < 128 && (characters[code]! & inAddress) !== 0;

function isWord(text: string, start: number, end: number, expected: string): boolean {
  if (text.charCodeAt(start) !== expected.charCodeAt(0)) return false;
  if (expected.endsWith("*"))
    return end - start >= expected.length - 1 && text.startsWith(expected.slice(0, -1), start);
  return end - start === expected.length && text.startsWith(expected, start);
}

const meanings = {
  url: meaningOf("url"),
  address: meaningOf("address"),
  secretfile: meaningOf("secretfile"),
  secret: meaningOf("secret"),
};

/** Undefined for a word. An address of documentation means nothing. */
function shapeOf(word: string): Meaning | undefined {
  if (word.includes("://")) return exampleHost.test(word) ? undefined : meanings.url;
  if (word.includes("@") && word.includes(".")) return exampleAddress.test(word) ? undefined : meanings.address;
  if (/^[a-z0-9]+(?:_[a-z0-9]+)*_(?:api_key|secret_key|access_key|auth_token)$/.test(word)) return meanings.secret;
  return isSecretPath(word) ? meanings.secretfile : undefined;
}

const exampleHost =
  /:\/\/(?:[\w.-]*\.)?(?:example\.(?:com|org|net)|localhost|127\.0\.0\.1|w3\.org|schema\.org|json-schema\.org)(?=[:/]|$)/;
const exampleAddress = /@(?:[\w.-]*\.)?(?:example\.\w+|company\.com|domain\.com|email\.com|acme\.com|yourdomain\.com)$/;

/** About two characters are a word. */
function readUnspaced(
  run: string,
  start: number,
  place: Pick<Word, "at" | "sentence" | "clause">,
  found: Word[],
): number {
  const { at, sentence, clause } = place;
  const { unspaced, maxUnspaced } = lexiconOf();
  for (let index = 0; index < run.length; index++) {
    for (let length = Math.min(maxUnspaced, run.length - index); length > 0; length--) {
      const meaning = unspaced.get(run.slice(index, index + length));
      if (meaning === undefined) continue;
      const begin = start + index;
      found.push({ at: at + (index >> 1), sentence, clause, start: begin, end: begin + length, meaning });
    }
  }
  return at + (run.length >> 1) + 1;
}
