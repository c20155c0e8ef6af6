import { readFile } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { Fault } from "../core/fault.ts";
import { codeOf, messageOf } from "../core/thrown.ts";
import { mimeTypeOf } from "../sources/agent/safe-name.ts";

export interface OrderFile {
  readonly data: string;
  readonly mimeType: string;
  readonly filename: string;
}

/** Files of this machine as an order carries them. What they are is told by their ending. */
export function readOrderFiles(paths: readonly string[], cwd: string): Promise<readonly OrderFile[]> {
  return Promise.all(paths.map((path) => readOrderFile(path, cwd)));
}

async function readOrderFile(path: string, cwd: string): Promise<OrderFile> {
  const filename = basename(path);
  const mimeType = mimeTypeOf(filename);
  if (mimeType === undefined)
    throw new Fault("usage", `The ending of ${filename} does not tell a type that can be sent.`);
  try {
    return { data: (await readFile(resolve(cwd, path))).toString("base64"), mimeType, filename };
  } catch (error) {
    const code = codeOf(error);
    const what =
      code === "ENOENT" ? `There is no file ${path}.` : `${path} can't be read (${code ?? messageOf(error)}).`;
    throw new Fault("usage", what, { cause: error });
  }
}
