import { expect, test } from "vitest";
import { extensionOf, mimeTypeOf, safeName, uniqueName } from "./safe-name.ts";

test.each([
  ["report.pdf", "report.pdf"],
  ["../../etc/passwd", "passwd"],
  ["C:\\Windows\\system.ini", "system.ini"],
  [".bashrc", "bashrc"],
  ["a\u0000b\u202Egnp.exe", "abgnp.exe"],
  ["con.txt", "_con.txt"],
  ["what?.md", "what_.md"],
  ["..", "fallback.bin"],
  ["", "fallback.bin"],
  [undefined, "fallback.bin"],
])("the file name %j becomes %j", (given, safe) => {
  expect(safeName(given, "fallback.bin")).toBe(safe);
});

test("a long name is cut to what a file system takes, and keeps its extension", () => {
  const name = safeName(`${"ä".repeat(300)}.tar.gz`, "x");
  expect(Buffer.byteLength(name)).toBeLessThanOrEqual(200);
  expect(name).toMatch(/^ä+\.tar\.gz$/);
});

test("a name that is taken gets a number, whatever its case", () => {
  const taken = new Set<string>();
  const names = ["a.tar.gz", "A.tar.gz", "a.tar.gz", "b"].map((name) => uniqueName(name, taken));
  expect(names).toEqual(["a.tar.gz", "A-2.tar.gz", "a-3.tar.gz", "b"]);
});

test.each([
  ["image/png", "png"],
  ["image/svg+xml", "svg"],
  ["audio/x-wav", "wav"],
  ["Text/Plain; charset=utf-8", "txt"],
  ["constructor", "bin"],
  ["", "bin"],
])("the type %j gets the extension %j", (mimeType, ending) => {
  expect(extensionOf(mimeType)).toBe(ending);
});

test("an extension gives only a type that an order may carry", () => {
  const names = ["a.JPEG", "a.wav", "a.mp3", "a.tgz", "a.svg", "a.exe"];
  expect(names.map(mimeTypeOf)).toEqual([
    "image/jpeg",
    "audio/wav",
    "audio/mpeg",
    "application/x-compressed-tar",
    undefined,
    undefined,
  ]);
});
