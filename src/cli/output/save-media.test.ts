import { mkdtempDisposable, readFile, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isWindows } from "../../../tests/support/cli/run-clawport.ts";
import { saveContentBlock } from "./save-media.ts";

test.skipIf(isWindows)("media are saved to a file that only its owner can read, never over another file", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "save-block-"));
  const picture = { type: "image", mimeType: "image/svg+xml", data: "PHN2Zy8+" } as const;
  const first = join(folder.path, "answer.svg");
  const second = join(folder.path, "answer-2.svg");
  expect(await saveContentBlock(picture, folder.path)).toBe(`[saved ${first}]`);
  expect(await saveContentBlock({ ...picture, data: "PGcvPg==" }, folder.path)).toBe(`[saved ${second}]`);
  expect(await readFile(first, "utf8")).toBe("<svg/>");
  expect(await readFile(second, "utf8")).toBe("<g/>");
  expect((await stat(first)).mode & 0o777).toBe(0o600);
});
