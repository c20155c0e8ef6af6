import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { saveMedia } from "../../../core/files/save-media.ts";
import { megabyte } from "../../../core/text/size-text.ts";
import { buildAnswer, type SaveMedia } from "./build-answer.ts";
import type { AnswerPart } from "./merge-outputs.ts";

const signal = new AbortController().signal;

function saveTo(folder: string): SaveMedia {
  return async ({ name }, content) => (await saveMedia({ content, name }, folder)).path;
}

function media(
  name: string,
  mimeType: string,
  content: Buffer | number,
  where?: string,
  announced?: number,
): AnswerPart {
  const bytes = announced ?? (typeof content === "number" ? content : content.length);
  const read = (): Promise<Buffer> => Promise.resolve(typeof content === "number" ? Buffer.alloc(content) : content);
  return { media: { id: name, name, mimeType, bytes, where, read } };
}

test("each kind of media gets its own kind of block, and adjacent texts are joined", async () => {
  const blocks = await buildAnswer(
    [
      { text: "one" },
      { text: "two" },
      media("a.png", "image/png", Buffer.from("png")),
      media("b.mp3", "audio/mpeg", Buffer.from("mp3")),
      media("my report ü.pdf", "application/pdf", Buffer.from("pdf")),
    ],
    { signal },
  );
  expect(blocks).toEqual([
    { type: "text", text: "one\n\ntwo" },
    { type: "image", data: "cG5n", mimeType: "image/png" },
    { type: "audio", data: "bXAz", mimeType: "audio/mpeg" },
    {
      type: "resource",
      resource: { uri: "attachment://my%20report%20%C3%BC.pdf", mimeType: "application/pdf", blob: "cGRm" },
    },
  ]);
});

test("an item of 20 MB is included; one byte more, and a text says what it is and where", async () => {
  const blocks = await buildAnswer(
    [media("a.bin", "video/mp4", 20 * megabyte), media("b.mp4", "video/mp4", 20 * megabyte + 1, "/media/b.mp4")],
    { signal },
  );
  expect(blocks[0]).toMatchObject({ type: "resource" });
  expect(blocks[1]).toEqual({
    type: "text",
    text: '["b.mp4" (video/mp4, 20.00 MB (20971521 bytes)) was left out: an item of an answer may have at most 20 MB. Available at /media/b.mp4]',
  });
});

test("the total limit counts text and media, and what exceeds it is described", async () => {
  const limits = { itemBytes: 100, totalBytes: 150 };
  const blocks = await buildAnswer(
    [{ text: "x".repeat(60) }, media("a", "image/png", 90), media("b", "image/png", 1)],
    { signal, limits },
  );
  expect(blocks.map(({ type }) => type)).toEqual(["text", "image", "text"]);
  expect(JSON.stringify(blocks[2])).toContain("The rest of the text was left out");
});

test("media that can't be read are reported, and the rest of the answer arrives", async () => {
  const broken: AnswerPart = {
    media: {
      id: "x",
      name: "x.png",
      mimeType: "image/png",
      bytes: 3,
      read: () => Promise.reject(new Error("it is gone")),
    },
  };
  const blocks = await buildAnswer([broken, { text: "done" }], { signal });
  expect(blocks).toEqual([
    { type: "text", text: '["x.png" (image/png, 3 bytes) could not be read: it is gone]\n\ndone' },
  ]);
});

test("media that are left out are saved, even if their size was not known before", async () => {
  const folder = await mkdtemp(join(tmpdir(), "build-answer-"));
  try {
    const known = media("a.txt", "text/plain", Buffer.from("long"), "elsewhere");
    const unknown = media("../b.png", "image/png", Buffer.from("pixels"), undefined, 0);
    const options = { signal, limits: { itemBytes: 3, totalBytes: 10_000 }, save: saveTo(folder) };
    const blocks = await buildAnswer([known, unknown], options);
    const text = blocks.map((block) => (block.type === "text" ? block.text : "")).join("\n");
    const paths = [...text.matchAll(/Saved to (\S+)\]/g)].map(([, path = ""]) => path);
    expect(paths.map((path) => path.slice(folder.length))).toEqual([
      expect.stringMatching(/^.a\.txt$/),
      expect.stringMatching(/^.b\.png$/),
    ]);
    expect(await Promise.all(paths.map((path) => readFile(path, "utf8")))).toEqual(["long", "pixels"]);
    expect(text).toContain('"../b.png" (image/png, 6 bytes)');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
