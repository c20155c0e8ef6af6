import { readFile } from "node:fs/promises";
import { Fault } from "./fault.ts";
import { codeOf, messageOf } from "./thrown.ts";

export type JsonFile<T> =
  | { readonly state: "missing" }
  | { readonly state: "good"; readonly value: T; readonly text: string }
  | { readonly state: "damaged"; readonly error: unknown };

/**
 * What is in a JSON file. A file that can't be read (permissions, a failing disk) is a fault and not "missing" or
 * "damaged": whoever takes it for either would overwrite good data.
 */
export async function readJsonFile<T>(path: string, parse: (value: unknown) => T): Promise<JsonFile<T>> {
  const text = await readText(path);
  if (text === undefined) return { state: "missing" };
  try {
    return { state: "good", value: parse(JSON.parse(text)), text };
  } catch (error) {
    return { state: "damaged", error };
  }
}

async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    const message = `Could not read ${path}: ${messageOf(error)}. Check its permissions.`;
    throw new Fault("io", message, { cause: error });
  }
}
