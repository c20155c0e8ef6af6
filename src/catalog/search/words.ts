import { stemmer } from "stemmer";
import { readLanguageFile } from "./language-data.ts";
import { memoized } from "../memoized.ts";

/** The words of a text or an identifier as they are compared: `listPullRequests` gives list, pull, requests. */
export function splitWords(text: string): string[] {
  const spaced = text
    .replaceAll(/\bto-do/gi, "todo")
    .replaceAll(/([a-z\d])([A-Z])/g, "$1 $2")
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, "$1 $2");
  return foldText(spaced).match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** A text in small letters without accents. */
export function foldText(text: string): string {
  return text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();
}

/** The stems of the forms that the rules of stemming do not find, or take for another word. */
const irregular = memoized(() => {
  const found = new Map<string, string>();
  for (const line of readLanguageFile("forms")) {
    const [head = "", forms = ""] = line.split(" : ");
    const isExempt = head.startsWith("!");
    const word = isExempt ? head.slice(1) : head;
    for (const form of [word, ...forms.split(" ")]) found.set(form, isExempt ? word : stemmer(word));
  }
  return found;
});

/** Stemming is slow, and most words come again and again. */
const stems = new Map<string, string>();
const maxStems = 20_000;

/** The form in which a word is indexed. */
export function stemWord(word: string): string {
  const known = stems.get(word);
  if (known !== undefined) return known;
  const stem = irregular().get(word) ?? stemmer(word);
  if (stems.size >= maxStems) stems.clear();
  // A word of any length may come from outside.
  if (word.length <= 30) stems.set(word, stem);
  return stem;
}

const functionWords = memoized(() => {
  const byLanguage = new Map<string, ReadonlySet<string>>();
  for (const line of readLanguageFile("function-words")) {
    const [language = "", words = ""] = line.split(" : ");
    byLanguage.set(language, new Set(splitWords(words)));
  }
  const { en: english, light, ...others } = Object.fromEntries(byLanguage);
  return { english: english!, light: light!, foreign: new Set(Object.values(others).flatMap((words) => [...words])) };
});

/** Whether the English word says nothing about what a tool does. */
export function isStopWord(word: string): boolean {
  return functionWords().english.has(word);
}

/** Whether the word says nothing in one of the other languages. */
export function isForeignStopWord(word: string): boolean {
  return functionWords().foreign.has(word);
}

/** Words that go with everything, so that they say little about what is asked for. */
export function isLightWord(word: string): boolean {
  return functionWords().light.has(word);
}

const frequentWords = memoized(() => new Set(readLanguageFile("english")));

/** Whether the word is frequent in English, so that it is spelled as it is meant even if no tool knows it. */
export function isEnglishWord(word: string): boolean {
  return frequentWords().has(word);
}
