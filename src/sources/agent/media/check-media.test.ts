import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { megabyte } from "../../../core/text/size-text.ts";
import { base64InFile, base64InMemory } from "./base64-text.ts";
import { checkMedia, type MediaArgument } from "./check-media.ts";

const png = Buffer.from("\x89PNG\r\n\x1A\n\0\0\0\0", "latin1");

function given(content: Buffer | string, mimeType: string, filename?: string): MediaArgument {
  const text = typeof content === "string" ? content : content.toString("base64");
  return { data: base64InMemory(text), mimeType, filename };
}

async function violationsOf(image: readonly MediaArgument[], file: readonly MediaArgument[] = []): Promise<string> {
  return checkMedia({ image, file }).then(
    () => "",
    (error: Error) => error.message,
  );
}

test("checked media keep their order and content and get safe, unique names", async () => {
  const image = [given(png, "image/png", "a/shot.png"), given(png, "IMAGE/PNG", "SHOT.png")];
  const file = [given(Buffer.from("hi"), "text/plain; charset=utf-8")];
  const checked = await checkMedia({ image, file });
  expect(checked.map(({ kind, name, mimeType, bytes }) => [kind, name, mimeType, bytes])).toEqual([
    ["image", "shot.png", "image/png", 12],
    ["image", "SHOT-2.png", "image/png", 12],
    ["file", "file-1.txt", "text/plain", 2],
  ]);
  expect(await checked[2]!.base64()).toBe("aGk=");
});

test("15 MB are allowed, one byte more is not, and the message shows the difference", async () => {
  const whole = Buffer.alloc(15 * megabyte);
  expect(await violationsOf([], [given(whole, "application/x-tar")])).toBe("");
  const over = Buffer.alloc(15 * megabyte + 1);
  const message = await violationsOf([given(over, "image/png", "big.png")]);
  expect(message).toContain('images[0] ("big.png"): at most 15 MB are allowed, but it has 15.00 MB (15728641 bytes)');
});

test("ten images and five files are allowed, eleven and six are not", async () => {
  const image = Array.from({ length: 11 }, () => given(png, "image/png"));
  const file = Array.from({ length: 6 }, () => given("aGk=", "text/csv"));
  expect(await violationsOf(image.slice(1), file.slice(1))).toBe("");
  const message = await violationsOf(image, file);
  expect(message).toContain("images: at most 10 are allowed, but there are 11");
  expect(message).toContain("files: at most 5 are allowed, but there are 6");
});

test("all problems are reported at once, each with its item", async () => {
  const message = await violationsOf(
    [given(png, "image/tiff"), given(png, "application/pdf")],
    [given("", "text/plain", "empty.txt"), given("aGk", "text/plain")],
  );
  expect(message).toContain('images[0] ("image-1.bin"): the type "image/tiff" is not supported, only image/jpeg,');
  expect(message).toContain('images[1] ("image-2.pdf"): "application/pdf" belongs in "files"');
  expect(message).toContain('files[0] ("empty.txt"): data is empty');
  expect(message).toContain("files[1]");
});

test.each([
  ["aGk", "its length, 3, is not a multiple of 4"],
  ["aGk\n", "its length, 3, is not a multiple of 4"],
  ["aG kaGk", "its length, 7, is not a multiple of 4"],
  ["aGk aGk=", "character 4 is white space"],
  ["a-_=", 'character 2 is "-"'],
  ["aG=k", "character 4 is after the padding"],
  ["a===", 'character 2 is "="'],
  ["aGl=", "its last character has unused bits that are not zero"],
  ["aR==", "its last character has unused bits that are not zero"],
  ["aGkŁ", "its length, 5"],
  ["data:image/png;base64,aGkx", "its length, 26"],
])("%j is not base64", async (text, reason) => {
  expect(await violationsOf([], [given(text, "text/plain")])).toContain(`data is not base64: ${reason}`);
});

test("line breaks in base64, and blanks next to them, are left out", async () => {
  const wrapped = png.toString("base64").replaceAll(/.{5}/g, "$&\r\n  ");
  const [image] = await checkMedia({ image: [given(`\n${wrapped}\n`, "image/png")], file: [] });
  expect(image).toMatchObject({ bytes: png.length });
  expect(await image!.base64()).toBe(png.toString("base64"));
});

test("line breaks are left out of base64 that was written to a file", async () => {
  const folder = await mkdtemp(join(tmpdir(), "base64-"));
  try {
    const path = join(folder, "text");
    await writeFile(path, "aGVs\\r\\nbG8\\n=");
    const data = await base64InFile({ path, bytes: 14, isEscaped: true });
    const [file] = await checkMedia({ image: [], file: [{ data, mimeType: "text/plain" }] });
    expect(file).toMatchObject({ bytes: 5 });
    expect(await file!.base64()).toBe("aGVsbG8=");
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("a declared type is refused only when the first bytes prove another family", async () => {
  const zip = Buffer.from("PK\x03\x04\0\0", "latin1");
  const tar = Buffer.concat([Buffer.alloc(257), Buffer.from("ustar\0")]);
  const jpeg = Buffer.from("\xFF\xD8\xFF\xE0", "latin1");
  expect(await violationsOf([given(zip, "image/png")])).toContain(
    "declared as image/png, but its first bytes are those of ZIP",
  );
  expect(await violationsOf([], [given(tar, "application/pdf")])).toContain("those of tar");
  expect(await violationsOf([], [given(png, "text/plain")])).toContain("those of PNG");
  expect(await violationsOf([given(jpeg, "image/png"), given(Buffer.from("unknown"), "image/gif")])).toBe("");
  const mp4 = Buffer.from("\0\0\0\x18ftypM4A ", "latin1");
  expect(
    await violationsOf([], [given(mp4, "audio/mp4"), given(mp4, "video/mp4"), given(tar, "application/gzip")]),
  ).toBe("");
});

test("a text that begins like an image is still a text", async () => {
  expect(await violationsOf([], [given(Buffer.from("GIF89a is an old format. Ä"), "text/markdown")])).toBe("");
});
