import { writeFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openPause, pausedText } from "./pause.ts";

const newFile = async (): Promise<string> => join(await mkdtemp(join(tmpdir(), "pause-")), "pause.json");

test("a pause outlives the process, and ends when the user resumes", async () => {
  const file = await newFile();
  const pause = openPause(file);
  expect(pause.state()).toBeUndefined();
  await pause.begin();
  const next = openPause(file);
  expect(next.state()).toEqual({});
  next.resume();
  expect(openPause(file).state()).toBeUndefined();
});

test("a pause with a time ends by itself, and says until when it lasts", async () => {
  const file = await newFile();
  let now = Date.parse("2026-01-01T12:00:00Z");
  const pause = openPause(file, () => now);
  await pause.begin(now + 900_000);
  expect(pausedText(pause.state()!)).toContain("until 2026-01-01T12:15:00.000Z");
  now += 899_999;
  expect(openPause(file, () => now).state()).toEqual({ until: "2026-01-01T12:15:00.000Z" });
  now += 1;
  expect(pause.state()).toBeUndefined();
  expect(openPause(file, () => now).state()).toBeUndefined();
  pause.close();
});

test("those who look are told when it begins and ends", async () => {
  const pause = openPause(await newFile());
  let told = 0;
  const stop = pause.onChange(() => told++);
  await pause.begin();
  pause.resume();
  stop();
  await pause.begin();
  expect(told).toBe(2);
});

test("a damaged file still pauses", async () => {
  const file = await newFile();
  writeFileSync(file, "{");
  expect(openPause(file).state()).toEqual({});
});
