import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  assignNames,
  contestedPrefixes,
  isNameOrNarrow,
  mayHavePrefix,
  type NameParts,
  nameCandidate,
  narrowNames,
} from "./names.ts";

const wide = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/;
const narrow = /^[A-Za-z0-9_-]{1,48}$/;

/** Few letters, so that names often conflict, and all kinds of strange names. */
const word = fc.oneof(
  fc.stringMatching(/^[aA_.-]{0,4}$/),
  fc.constantFrom("", " ", "a", "b", "a__b", "b__c", "a__b__c", "order_openclaw", "screen.snapshot", "screen_snapshot"),
  fc.string({ unit: "binary", maxLength: 8 }),
  fc.string({ unit: "grapheme", minLength: 60, maxLength: 300 }),
  fc.constantFrom("\ud800", "\ud801", "x".repeat(300), `${"x".repeat(299)}y`, "日本語"),
);

const partsList = fc
  .uniqueArray(
    fc.record({
      source: word,
      original: word,
      own: fc.boolean(),
      prefix: fc.option(word, { nil: undefined }),
    }),
    { selector: ({ source, original }) => JSON.stringify([source, original]), maxLength: 40 },
  )
  .chain((parts) => fc.tuple(fc.constant(parts), fc.shuffledSubarray(parts, { minLength: parts.length })));

test("any set of sources and tools gets unique, valid names that do not depend on the order of arrival", () => {
  fc.assert(
    fc.property(partsList, ([parts, shuffled]) => {
      const names = assignNames(parts.map(nameCandidate));
      for (const name of names) expect(name).toMatch(wide);
      expect(new Set(names).size).toBe(parts.length);

      const named = new Map(parts.map((part, index) => [part, names[index]]));
      expect(assignNames(shuffled.map(nameCandidate))).toEqual(shuffled.map((part) => named.get(part)));
    }),
    { numRuns: 1000 },
  );
});

test("any set of names has narrow forms that are unique regardless of case, map back, and are no other tool's wide name", () => {
  const names = fc
    .array(word, { maxLength: 40 })
    .chain((names) => fc.tuple(fc.constant(names), fc.shuffledSubarray(names, { minLength: names.length })));
  fc.assert(
    fc.property(names, ([names, shuffled]) => {
      const map = narrowNames(names);
      const narrowed = [...map.narrow.values()];
      for (const name of narrowed) expect(name).toMatch(narrow);
      expect(new Set(narrowed.map((name) => name.toLowerCase())).size).toBe(new Set(names).size);
      for (const [name, short] of map.narrow) expect(map.wide.get(short)).toBe(name);
      const rewritten = [...map.narrow].filter(([name, short]) => short !== name).map(([, short]) => short);
      expect(rewritten.filter((short) => names.includes(short))).toEqual([]);
      const again = narrowNames(shuffled);
      for (const name of names) expect(again.narrow.get(name)).toBe(map.narrow.get(name));
    }),
    { numRuns: 1000 },
  );
});

const part = (parts: Partial<NameParts>) => nameCandidate({ source: "s", original: "t", own: false, ...parts });

test("a valid name without a conflict is kept as it is", () => {
  expect(assignNames([part({ prefix: "tavily", original: "search" }), part({ original: "screen.snapshot" })])).toEqual([
    "tavily__search",
    "screen.snapshot",
  ]);
});

test("a name that two servers claim belongs to neither, so that none can take it over from the other", () => {
  const [one, other] = assignNames([
    part({ source: "a", prefix: "a", original: "b__c" }),
    part({ source: "a__b", prefix: "a__b", original: "c" }),
  ]);
  expect(one).toMatch(/^a__b__c_[0-9a-f]{8}$/);
  expect(other).toMatch(/^a__b__c_[0-9a-f]{8}$/);
});

test.each([
  ["a", "b__c"],
  [undefined, "a__b__c"],
])("a tool never has a name that reads like one of another source: %j, %j", (prefix, original) => {
  const tool = part({ prefix, original });
  expect(assignNames([tool], new Set(["a", "a__b"]))).toEqual([expect.stringMatching(/^a__b__c_\w{8}$/)]);
  expect(assignNames([tool], new Set(["b"]))).toEqual(["a__b__c"]);
  expect(assignNames([part({ prefix: "a__b", original: "c" })], new Set(["a", "a__b"]))).toEqual(["a__b__c"]);
});

test("a server can't take a name from a built-in source", () => {
  const [builtIn, other] = assignNames([
    part({ source: "agent", original: "order_openclaw", own: true }),
    part({ source: "evil", original: "order_openclaw" }),
  ]);
  expect(builtIn).toBe("order_openclaw");
  expect(other).toMatch(/^order_openclaw_[0-9a-f]{8}$/);
});

test("a tool whose name equals the hashed name of another does not conflict with it", () => {
  const [hashed] = assignNames([part({ original: "a b" })]);
  const names = assignNames([part({ original: "a b" }), part({ original: hashed! })]);
  expect(names[1]).toBe(hashed);
  expect(names[0]).toMatch(/^a_b_[0-9a-f]{8}$/);
  expect(names[0]).not.toBe(hashed);
});

test("dots become underscores for narrow peers, unless that name is taken", () => {
  expect(narrowNames(["screen.snapshot"]).narrow.get("screen.snapshot")).toBe("screen_snapshot");
  const { narrow } = narrowNames(["screen.snapshot", "screen_snapshot"]);
  expect(narrow.get("screen_snapshot")).toBe("screen_snapshot");
  expect(narrow.get("screen.snapshot")).toMatch(/^screen_snapshot_[0-9a-f]{8}$/);
});

test("a long name becomes a readable beginning and a hash, and two that begin alike stay apart", () => {
  const long = `github__${"create_pull_request_review_".repeat(2)}`;
  const names = [`${long}one`, `${long}two`];
  const { narrow } = narrowNames(names);
  const [one, two] = names.map((name) => narrow.get(name)!);
  for (const name of [one, two]) expect(name).toMatch(/^github__create_pull_request_review_crea_[0-9a-f]{8}$/);
  expect(one).not.toBe(two);
  expect(narrowNames([names[1]!]).narrow.get(names[1]!)).toBe(two);
  expect(one).toHaveLength(48);
});

test("of prefixes that look alike, only one that is narrow as it is keeps its plain names", () => {
  const contested = (...prefixes: string[]) => [...contestedPrefixes(prefixes)].toSorted();
  expect(contested("a.b", "a_b", "c")).toEqual(["a.b"]);
  expect(contested("a.b", "a..b")).toEqual(["a..b", "a.b"]);
  expect(contested("Mail", "mail", "m.ail")).toEqual(["Mail", "mail"]);
  expect(contested("a", "b", "a.b")).toEqual([]);
});

test.for([
  ["files__read", "files__read", true],
  ["screen_snapshot", "screen.snapshot", true],
  ["screen_snapshot_c1b0b9b5", "screen.snapshot", false],
  ["screen-snapshot", "screen.snapshot", false],
] as const)("%s may mean %s: %s", ([typed, name, expected]) => {
  expect(isNameOrNarrow(typed, name)).toBe(expected);
});

test("a tool can be meant by the hashed form of its name", () => {
  const hashed = narrowNames(["a.b", "a_b"]).narrow.get("a.b")!;
  expect(hashed).toMatch(/^a_b_[0-9a-f]{8}$/);
  expect(isNameOrNarrow(hashed, "a.b")).toBe(true);
});

test("a name may belong to a source by its prefix in either alphabet, whole or shortened", () => {
  const prefix = "my.very-long.server-name.that-goes-on.and-on.and-on";
  const wide = `${prefix}__tool`;
  const narrow = narrowNames([wide]).narrow.get(wide)!;
  for (const name of [wide, narrow]) expect(mayHavePrefix(name, prefix)).toBe(true);
  expect(mayHavePrefix("my_files__read", "my.files")).toBe(true);
  expect(mayHavePrefix("myfiles__read", "my.files")).toBe(false);
  expect(mayHavePrefix("anything", "")).toBe(true);
});

test("a narrow name is no other tool's wide name, also if that always gets a hash", () => {
  const { narrow } = narrowNames(["ab__x", "ab._x"], new Set(["ab__x"]));
  expect(narrow.get("ab__x")).toMatch(/^ab__x_[\da-f]{8}$/);
  expect(narrow.get("ab._x")).toMatch(/^ab__x_[\da-f]{8}$/);
});
