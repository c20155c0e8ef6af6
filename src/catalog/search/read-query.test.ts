import { expect, test } from "vitest";
import { findLikelyGoals, findNamedGoals } from "./goals.ts";
import { readQuery } from "./read-query.ts";
import { createSpeller } from "./spelling.ts";
import { groupsOf } from "./thesaurus.ts";
import { splitWords, stemWord } from "./words.ts";

test("forms that no rule finds have the stem of their word, and words that only look alike have not", () => {
  expect(stemWord("written")).toBe(stemWord("writes"));
  expect(stemWord("db")).toBe(stemWord("databases"));
  expect(stemWord("customers")).not.toBe(stemWord("custom"));
  expect(stemWord("settings")).not.toBe(stemWord("set"));
});

test("synonyms share a group", () => {
  const [ticket, issue] = ["ticket", "issues"].map((word) => new Set(groupsOf(stemWord(word))));
  expect(ticket!.isDisjointFrom(issue!)).toBe(false);
});

test("a phrase is found with words between its own, and not if they are far apart", () => {
  const targetsOf = (query: string) =>
    findNamedGoals(splitWords(query).map(stemWord), () => 1).flatMap(({ targets }) => targets);
  expect(targetsOf("throw the files away")).toContain("delete");
  expect(targetsOf("throw a ball over the fence and run away")).not.toContain("delete");
});

test("the goal that shares most with a query is the likely one, and there is none if they share nothing", () => {
  const likely = (...stems: string[]) => findLikelyGoals(stems, () => 1);
  expect(likely("refund", "shoe", "unhappi")[0]?.targets).toContain("refund");
  expect(likely("refund", "shoe", "unhappi").length).toBeLessThanOrEqual(3);
  expect(likely("qqq")).toEqual([]);
  expect(likely()).toEqual([]);
});

test("a goal that no tool serves does not count", () => {
  const query = splitWords("do i need an umbrella").map(stemWord);
  const goalsWith = (...words: string[]) => [
    ...findLikelyGoals(query, (word) => Number(words.includes(word))),
    ...findNamedGoals(query, (word) => Number(words.includes(word))),
  ];
  expect(goalsWith("weather", "forecast", "get").flatMap(({ targets }) => targets)).toContain("weather");
  expect(goalsWith("file", "get").flatMap(({ targets }) => targets)).not.toContain("weather");
});

test.each([
  ["Bitte lösche die Datei", ["delete", "file"]],
  ["Lade die Rechnungen bitte hoch", ["upload", "invoice"]],
  ["Zahlungserstattung", ["payment", "refund"]],
  ["envoie un message à l'équipe", ["send", "message", "team"]],
  ["base de données", ["database"]],
  ["busca los correos del cliente", ["search", "email", "customer"]],
  ["elimina il ramo", ["delete", "branch"]],
  ["criar uma fatura", ["create", "invoice"]],
  ["verwijder de map", ["delete", "folder"]],
  ["usuń plik", ["delete", "file"]],
  ["отправь сообщение", ["send", "message"]],
  ["dosyaları sil", ["file", "delete"]],
  ["ファイルを削除して", ["file", "delete"]],
  ["删除文件", ["delete", "file"]],
  ["파일을 삭제", ["file", "delete"]],
])("%s means %j", (query, words) => {
  const terms = termsOf(query);
  for (const word of words) expect(terms).toContain(stemWord(word));
});

test("an English query is not taken for a foreign one", () => {
  // In Dutch, a map is a folder.
  expect(termsOf("show me a map")).not.toContain("folder");
  expect(termsOf("die in the chat")).not.toContain("der");
});

test("a frequent word of English is not taken for a mistyped one", () => {
  expect(termsOf("panda")).toEqual([]);
  expect(termsOf("mesage")).toContain(stemWord("message"));
});

test("a query has a bounded number of words, in scripts without spaces, too", () => {
  expect(partsOf("削除".repeat(10_000)).length).toBeLessThan(100);
  expect(partsOf(Array.from({ length: 5000 }, (_, place) => `word${place}`).join(" ")).length).toBeLessThan(100);
});

const speller = createSpeller(new Map([["message", 1]]));

function partsOf(query: string) {
  const steps = readQuery(query, speller, () => 1);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** What the words of a query may stand for, without synonyms and goals. */
function termsOf(query: string): string[] {
  const own = partsOf(query).filter(({ goal }) => goal === 0);
  return own.flatMap(({ meanings }) => [...meanings.keys()]).filter((term) => !term.startsWith("="));
}
