import { expect, test } from "vitest";
import { readBytes, readTextLines } from "./read-text.ts";
import type { OpenedResult } from "./result-store.ts";
import { searchText, type TextSearch } from "./search-text.ts";

function opened(text: string): OpenedResult {
  const bytes = Buffer.from(text);
  return {
    id: "x",
    bytes: bytes.length,
    lines: text.split("\n").length - (text.endsWith("\n") ? 1 : 0),
    read: async (offset, length) => bytes.subarray(offset, offset + Math.max(length, 0)),
    [Symbol.asyncDispose]: async () => {},
  };
}

const usual = { caseSensitive: false, context: 0, limit: 20, offset: 0, maxBytes: 10_000 };
const search = (text: string, parts: Partial<TextSearch>) =>
  searchText(opened(text), { ...usual, ...parts }, new AbortController().signal);

const lines = Array.from({ length: 60_000 }, (_, index) => `line ${index + 1} of the text`).join("\n");

test("any line is found, with its number and the lines around it", async () => {
  for (const line of [1, 2, 31_415, 60_000])
    expect((await search(lines, { query: `LINE ${line} of` })).text).toBe(`${line}: line ${line} of the text`);
  const { text } = await search(lines, { query: "line 500 of", context: 1 });
  expect(text).toBe("499- line 499 of the text\n500: line 500 of the text\n501- line 501 of the text");
});

test("groups are separated, and lines between near matches are not repeated", async () => {
  const { text, matches, next } = await search("a\nhit\nb\nhit\nc\nd\ne\nhit", { query: "hit", context: 1 });
  expect(text.split("\n")).toEqual(["1- a", "2: hit", "3- b", "4: hit", "5- c", "--", "7- e", "8: hit"]);
  expect({ matches, next }).toEqual({ matches: 3, next: undefined });
});

test("case counts if asked for, and a query is no pattern", async () => {
  expect((await search("a.b\nAxB\nA.B", { query: "a.b" })).matches).toBe(2);
  expect((await search("a.b\nAxB\nA.B", { query: "A.B", caseSensitive: true })).text).toBe("3: A.B");
  expect((await search("a.b\nAxB\nA.B", { pattern: "^a.b$" })).matches).toBe(3);
});

test("what does not fit is continued where it stopped, and nothing is lost or shown twice", async () => {
  const found: string[] = [];
  let offset: number | undefined = 0;
  for (let turns = 0; offset !== undefined && turns < 10; turns++) {
    const part = await search(lines, { pattern: "line 1234\\d of", limit: 3, offset });
    found.push(...part.text.split("\n").filter((line) => /^\d+: /.test(line)));
    offset = part.next;
  }
  expect(found).toEqual(Array.from({ length: 10 }, (_, digit) => `1234${digit}: line 1234${digit} of the text`));
});

test("a pattern that is slow for each match gives way to others, and can be cancelled", async () => {
  const abort = new AbortController();
  const slow = { ...usual, pattern: "(?:.*a){40}y|.", limit: 200 };
  const searching = searchText(opened("a".repeat(100_000)), slow, abort.signal);
  setImmediate(() => setImmediate(() => abort.abort(new Error("given up"))));
  await expect(searching).rejects.toThrow("given up");
});

test("no shown text ends in half a character", async () => {
  const faces = "😀".repeat(2000);
  for (const shift of ["", "x"]) {
    const { text } = await search(`${shift}${faces}needle${faces}\n${shift}${faces}\nneedle`, {
      query: "needle",
      context: 1,
    });
    expect(text).toContain("needle");
    expect(text.isWellFormed()).toBe(true);
  }
});

test.each([
  ["abcdef", 1, 2, "bc", 3],
  ["abcdef", 4, 9, "ef", 6],
  ["日本語", 0, 1, "日", 3],
  ["日本語", 0, 5, "日", 3],
  ["日本語", 1, 6, "本", 6],
  ["日本語", 8, 1, "", 9],
  ["x😀y", 1, 0, "😀", 5],
])("%j from byte %i, %i bytes of it, is %j", async (text, offset, length, part, end) => {
  expect(await readBytes(opened(text), offset, length)).toMatchObject({ text: part, end });
});

test("several matches in one very long line are found, each once, with their offsets", async () => {
  const filler = "é".repeat(50_000);
  const text = `${filler}needle${filler}needle${filler}`;
  const { text: shown, matches } = await search(text, { query: "needle" });
  expect(matches).toBe(2);
  const offsets = [...shown.matchAll(/offset (\d+)/g)].map(([, at]) => Number(at));
  expect(offsets).toEqual([100_000, 200_006]);
  for (const at of offsets) expect((await readBytes(opened(text), at, 6)).text).toBe("needle");
  // The boundary of two pieces must not hide a match.
  for (let shift = 8185; shift < 8200; shift++)
    expect((await search(`${"a".repeat(shift)}needle${"b".repeat(9000)}`, { query: "needle" })).matches).toBe(1);
});

test("the answer stays within its bytes", async () => {
  const { text, next } = await search(lines, { query: "line", limit: 200, context: 20, maxBytes: 2000 });
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(2000);
  expect(next).toBeGreaterThan(0);
});

test.each(["(a+)+$", "(a|aa)*b", "((a*)*)*c", "(.*){20}x"])(
  "%s takes no longer on text made for it",
  async (pattern) => {
    const found = await search(`${"a".repeat(200_000)}!`, { pattern });
    expect(found.isOutOfTime).toBe(false);
  },
);

test.each(["query", "pattern"])("a %s with a line break is refused: it would never be found", async (kind) => {
  for (const text of ["one\ntwo", "one\r\ntwo", "two\n"])
    await expect(search("one\ntwo\n", { [kind]: text })).rejects.toThrow(
      `"${kind}" must not contain a line break: lines are searched one by one. Search for one line, and read on from there.`,
    );
  expect((await search("one\ntwo", { pattern: "^[^\\n]+$" })).matches).toBe(2);
});

test("a pattern that is not valid is quoted as it was given, with what is allowed", async () => {
  await expect(search("aaa", { pattern: "(" })).rejects.toThrow(
    '"pattern" is not valid: missing closing ): `(`. It must be a regular expression of RE2, without lookaround and backreferences.',
  );
});

test.each(["(", "a{5000}", "(?=a)", "(a)\\1", "[ab]{900}x", "\\pL{400}"])("%s is refused", async (pattern) => {
  await expect(search("aaa", { pattern })).rejects.toMatchObject({ code: "bad-params" });
});

test("a search that its caller has given up stops", async () => {
  const stop = new AbortController();
  const running = searchText(opened(lines.repeat(10)), { ...usual, pattern: "(x|y)*z$" }, stop.signal);
  stop.abort();
  await expect(running).rejects.toMatchObject({ name: "AbortError" });
});

test("parts in bytes begin and end with whole characters, and joined they are the text", async () => {
  const text = "aé三😀".repeat(1000);
  let joined = "";
  for (let offset = 0; offset < Buffer.byteLength(text);) {
    const part = await readBytes(opened(text), offset, 7);
    expect(part.text).not.toContain("\uFFFD");
    joined += part.text;
    offset = part.end;
  }
  expect(joined).toBe(text);
  await expect(readBytes(opened("abc"), 4, 1)).rejects.toMatchObject({ code: "bad-params" });
});

test("any range of lines can be read, and one that does not fit says where it ends", async () => {
  expect(await readTextLines(opened(lines), 31_415, 31_416, 1000)).toMatchObject({
    text: "line 31415 of the text\nline 31416 of the text\n",
    lastLine: 31_416,
    isCut: false,
  });
  expect(await readTextLines(opened(lines), 60_000, 60_000, 1000)).toMatchObject({ text: "line 60000 of the text" });
  expect(await readTextLines(opened(lines), 1, 60_000, 100)).toMatchObject({ firstLine: 1, lastLine: 5, isCut: false });
  const long = await readTextLines(opened(`a\n${"三".repeat(100)}\nb`), 2, 3, 50);
  expect(long).toMatchObject({ text: "三".repeat(16), lastLine: 2, isCut: true, end: 50 });
  await expect(readTextLines(opened("a\nb"), 3, 3, 100)).rejects.toMatchObject({ code: "bad-params" });
});

test("a search that begins behind the end is refused: counting the lines up to there would never end", async () => {
  let reads = 0;
  const text = opened("one\ntwo\n");
  const counted: OpenedResult = {
    ...text,
    async read(offset, length) {
      if (++reads > 1000) throw new Error("reads on and on");
      return text.read(offset, length);
    },
  };
  const { signal } = new AbortController();
  for (const offset of [9, 1e15, 1e300])
    await expect(searchText(counted, { ...usual, query: "one", offset }, signal)).rejects.toThrow(
      '"offset" must be at most 8',
    );
  expect((await searchText(counted, { ...usual, query: "one", offset: 8 }, signal)).matches).toBe(0);
});
