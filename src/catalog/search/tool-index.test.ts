import { expect, test } from "vitest";
import { createToolIndex } from "./tool-index.ts";

const tools = [
  { name: "tracker__create_issue", source: "tracker", description: "Creates an issue in a project." },
  { name: "tracker__list_issues", source: "tracker", description: "Lists the issues of a project." },
  { name: "chat__post_message", source: "chat", description: "Posts a message to a channel." },
  { name: "files__readTextFile", source: "files", description: "Returns the contents of a file." },
  { name: "files__create_directory", source: "files", description: "Creates a directory." },
  {
    name: "shop__create_refund",
    source: "shop",
    description: "Refunds a payment.",
    inputSchema: { properties: { amount: {} } },
  },
];
const index = createToolIndex(tools);
const first = (...phrasings: string[]) => index.search(phrasings, 3)[0]?.name;

test.each([
  ["create an issue", "tracker__create_issue"],
  ["list issues", "tracker__list_issues"],
  ["read text file", "files__readTextFile"],
])("%s finds %s by its own words", (query, name) => {
  expect(first(query)).toBe(name);
});

test.each([
  ["open a ticket", "tracker__create_issue"],
  ["make a folder", "files__create_directory"],
  ["give a customer the money back", "shop__create_refund"],
])("%s finds %s by other words for the same thing", (query, name) => {
  expect(first(query)).toBe(name);
});

test.each([
  ["psot mesage", "chat__post_message"],
  ["craete direcotry", "files__create_directory"],
  ["neuen Ordner erstellen", "files__create_directory"],
  ["envoyer un message", "chat__post_message"],
  ["Zahlungserstattung", "shop__create_refund"],
])("%s finds %s through typing mistakes and in other languages", (query, name) => {
  expect(first(query)).toBe(name);
});

test("several phrasings help each other", () => {
  expect(first("zzz", "qqq", "refund")).toBe("shop__create_refund");
});

test("a query without a known word finds nothing", () => {
  expect(index.search(["qqqqqqqqqqqqqqqq"], 5)).toEqual([]);
  expect(index.search(["", "  "], 5)).toEqual([]);
});

test("no more than the limit is returned, and a huge query is cut", () => {
  expect(index.search(["create"], 2)).toHaveLength(2);
  expect(index.search(["create issue ".repeat(100_000)], 1)).toHaveLength(1);
});

test("definitions and queries of any form are borne", () => {
  const odd = [5, { toString: 1 }, null, "x".repeat(1_000_000), "\ud800"].map((description, place) => {
    return { name: `odd__t${place}`, source: "odd", description, title: description, inputSchema: { properties: 7 } };
  });
  const strange = createToolIndex([...tools, ...odd, { name: "__proto__", source: "constructor" }] as typeof tools);
  for (const query of ["constructor __proto__ toString", "\ud800 \u0000", "a".repeat(100_000), "zxqw ".repeat(10_000)])
    expect(strange.search([query, query], 3).length).toBeLessThanOrEqual(3);
  expect(strange.search(["create an issue"], 1)[0]?.name).toBe("tracker__create_issue");
});
