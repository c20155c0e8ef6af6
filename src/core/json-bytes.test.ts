import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assert, integer, jsonValue, property } from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createJsonSpiller } from "./json-bytes.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "clawport-spill-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function spill(text: string, overBytes: number, pieceSize: number) {
  const spiller = createJsonSpiller({ folder, overBytes });
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += pieceSize) spiller.push(bytes.subarray(at, at + pieceSize));
  return { spiller, ...spiller.end() };
}

test("a long string goes to an owner-only file and is replaced by a placeholder", () => {
  const long = "x".repeat(5000);
  const { json, texts, spiller } = spill(JSON.stringify({ a: "short", data: long, n: 1 }), 1000, 700);
  const parsed = JSON.parse(json.toString()) as { a: string; data: string; n: number };
  const text = texts.get(parsed.data);
  expect(parsed).toMatchObject({ a: "short", n: 1 });
  expect(text).toMatchObject({ bytes: 5000, isEscaped: false });
  expect(readFileSync(text!.path, "utf8")).toBe(long);
  expect(statSync(text!.path).mode & 0o777).toBe(0o600);
  spiller.dispose();
  expect(readdirSync(folder)).toEqual([]);
});

test("any message survives being cut into pieces, its long strings as JSON wrote them", () => {
  assert(
    property(
      jsonValue({ stringUnit: "binary" }),
      integer({ min: 0, max: 20 }),
      integer({ min: 1, max: 9 }),
      (value, over, piece) => {
        const { json, texts, spiller } = spill(JSON.stringify(value), over, piece);
        // Putting each file's content back between its quotes has to give the very same message.
        let whole = json.toString();
        for (const [mark, text] of texts.placeholders().map((each) => [each, texts.get(each)!] as const))
          whole = whole.replace(`"${mark}"`, () => `"${readFileSync(text.path, "utf8")}"`);
        spiller.dispose();
        expect(JSON.parse(whole)).toEqual(JSON.parse(JSON.stringify(value)));
      },
    ),
    { numRuns: 300 },
  );
});

test("a message that ends inside a text is refused, and its file is removed", () => {
  const spiller = createJsonSpiller({ folder, overBytes: 10 });
  spiller.push(Buffer.from(`{"data":"${"y".repeat(100)}`));
  expect(() => spiller.end()).toThrow("ends inside a text");
  spiller.dispose();
  expect(readdirSync(folder)).toEqual([]);
});

test("a client can't name the file of another string: placeholders are random for each message", () => {
  const first = spill(JSON.stringify(["z".repeat(100)]), 10, 50);
  const second = spill(JSON.stringify(["z".repeat(100)]), 10, 50);
  expect(first.texts.placeholders()[0]).not.toBe(second.texts.placeholders()[0]);
});

test("files that are held outlive the message and are removed with the last hold", () => {
  const { spiller, texts } = spill(JSON.stringify(["w".repeat(100)]), 10, 50);
  const letGo = texts.hold();
  spiller.dispose();
  expect(readdirSync(folder)).toHaveLength(1);
  letGo();
  letGo();
  expect(readdirSync(folder)).toEqual([]);
});
