import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Attachment } from "../media/check-media.ts";
import { attachmentsTooLarge, canStage, packAttachments, stageAttachments } from "./pack-attachments.ts";

const limits = { frameBytes: 1_000_000 + 262_144, attachmentBytes: 600_000, imageBytes: 200_000 };

function attachment(name: string, bytes: number, kind: "image" | "file" = "file"): Attachment {
  return {
    kind,
    name,
    bytes,
    mimeType: "text/plain",
    base64: () => Promise.resolve(Buffer.from(name).toString("base64")),
  };
}

test("attachments that fit into one request go with it, the rest is staged", () => {
  const given = [
    attachment("a", 300_000),
    attachment("b", 500_000),
    attachment("c", 300_000),
    attachment("d", 601_000),
  ];
  const { inFrame, staged } = packAttachments(given, 0, limits);
  expect(inFrame.map(({ name }) => name)).toEqual(["a", "c"]);
  expect(staged.map(({ name }) => name)).toEqual(["b", "d"]);
});

test("images have a limit of their own", () => {
  const { staged } = packAttachments(
    [attachment("big.png", 200_001, "image"), attachment("ok.png", 200_000, "image")],
    0,
    limits,
  );
  expect(staged.map(({ name }) => name)).toEqual(["big.png"]);
  expect(attachmentsTooLarge(staged, limits).message).toMatch(/images up to 200000 bytes.*"big\.png" \(200001 bytes\)/);
});

test("staged files are in the gateway's folder for incoming media, each under a unique name", async () => {
  const state = await mkdtemp(join(tmpdir(), "stage-"));
  try {
    const lines = await stageAttachments([attachment("my report.tar.gz", 3), attachment("my report.tar.gz", 3)], state);
    expect(new Set(lines).size).toBe(2);
    const [, id = ""] =
      /^\[media attached: media:\/\/inbound\/(my_report_tar---[0-9a-f-]{36}\.gz)\]$/.exec(lines[0]!) ?? [];
    expect(await readFile(join(state, "media", "inbound", id), "utf8")).toBe("my report.tar.gz");
    expect(await canStage(state)).toBe(true);
    expect(await canStage(join(state, "missing"))).toBe(false);
  } finally {
    await rm(state, { recursive: true });
  }
});
