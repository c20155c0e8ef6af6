import { readdir, readFile, stat } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import type { ScreenableFile } from "../catalog/screen/screen-value.ts";
import { codeOf, Fault, messageOf } from "../core/fault.ts";
import { quoted } from "../core/text/peer-text.ts";

const maxBytes = 64 * 1024 * 1024;
const maxFiles = 10_000;

/** The values in a file, or in the files of a folder. */
export async function readScreened(path: string, cwd: string): Promise<readonly ScreenableFile[]> {
  const whole = resolve(cwd, path);
  const facts = await stat(whole).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") throw new Fault("bad-params", `There is no file at ${quoted(path)}.`);
    throw new Fault("io", `Could not read ${quoted(path)}: ${messageOf(error)}.`, { cause: error });
  });
  if (!facts.isDirectory()) return readValues(whole, facts.size);
  const names = (await readdir(whole)).filter((name) => /\.jsonl?$/.test(name)).toSorted();
  if (names.length > maxFiles) throw new Fault("bad-params", `${quoted(path)} has more than ${maxFiles} files.`);
  const files = await Promise.all(
    names.map(async (name) => readValues(join(whole, name), (await stat(join(whole, name))).size)),
  );
  return files.flat();
}

async function readValues(path: string, size: number): Promise<readonly ScreenableFile[]> {
  if (size > maxBytes) throw new Fault("bad-params", `${quoted(path)} is larger than 64 MB.`);
  const text = await readFile(path, "utf8");
  const name = basename(path);
  try {
    const lines = path.endsWith("l") ? text.split("\n").filter((line) => line.trim() !== "") : [text];
    return lines.map((line) => ({ name, value: JSON.parse(line) as unknown }));
  } catch (error) {
    throw new Fault("bad-params", `${quoted(path)} is not JSON: ${messageOf(error)}.`, { cause: error });
  }
}
