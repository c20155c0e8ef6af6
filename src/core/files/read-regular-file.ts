import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from "node:fs";
import { open } from "node:fs/promises";
import { codeOf, Fault } from "../fault.ts";
import { sizeText } from "../text/size-text.ts";

/** The text of a regular file of bounded size; see `readChunks`. */
export async function readRegularFile(path: string, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of readChunks(path, maxBytes)) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

/** The same at once, for what every start waits for: the thread pool would cost more than reading the file. */
export function readRegularFileNow(path: string, maxBytes: number, flags = 0): string {
  const file = openNow(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | flags);
  try {
    const found = fstatSync(file);
    if (!found.isFile()) throw new Fault("config", notRegular(path, kindOf(found)));
    const chunks: Buffer[] = [];
    let left = maxBytes - found.size < 0 ? 0 : maxBytes + 1;
    while (left > 0) {
      const chunk = Buffer.allocUnsafe(Math.min(left, found.size + 1, chunkBytes));
      const length = readSync(file, chunk);
      if (length === 0) return Buffer.concat(chunks).toString("utf8");
      chunks.push(chunk.subarray(0, length));
      left -= length;
    }
    throw new Fault("config", `${path} is larger than ${sizeText(maxBytes)}.`);
  } finally {
    closeSync(file);
  }
}

function openNow(path: string, flags: number): number {
  try {
    return openSync(path, flags);
  } catch (error) {
    throw codeOf(error) === "ENXIO" ? new Fault("config", notRegular(path, "a socket"), { cause: error }) : error;
  }
}

// Windows has neither of the last two, and `|` takes them for 0: no file there blocks when it is opened.
const { O_RDONLY, O_NONBLOCK, O_NOCTTY } = constants;
const chunkBytes = 1024 * 1024;

/**
 * The content of a regular file of bounded size. Anything else is a `config` fault at once: opening a named pipe would
 * wait for a writer, and a device may never end. Errors of the system, such as ENOENT, are thrown as they are.
 */
export async function* readChunks(path: string, maxBytes: number): AsyncGenerator<Buffer> {
  await using file = await open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY).catch((error: unknown) => {
    throw codeOf(error) === "ENXIO" ? new Fault("config", notRegular(path, "a socket"), { cause: error }) : error;
  });
  const found = await file.stat();
  if (!found.isFile()) throw new Fault("config", notRegular(path, kindOf(found)));
  // The size is checked before, so that nothing is read in vain, and while reading, since the file may grow.
  let left = maxBytes - found.size < 0 ? 0 : maxBytes + 1;
  while (left > 0) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(Math.min(left, found.size + 1, chunkBytes)));
    if (bytesRead === 0) return;
    left -= bytesRead;
    if (left > 0) yield buffer.subarray(0, bytesRead);
  }
  throw new Fault("config", `${path} is larger than ${sizeText(maxBytes)}.`);
}

function notRegular(path: string, kind: string): string {
  return `${path} is ${kind}, but must be a regular file.`;
}

function kindOf(found: Stats): string {
  if (found.isDirectory()) return "a folder";
  return found.isFIFO() ? "a named pipe" : "a device";
}
