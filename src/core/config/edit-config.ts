import { realpath, stat } from "node:fs/promises";
import { codeOf, Fault } from "../fault.ts";
import { writeFileAtomic } from "../files/write-file-atomic.ts";
import { asRecord } from "../is-record.ts";
import { appendJson5, removeJson5 } from "./json5/edit-json5.ts";
import { readConfigText } from "./load-config.ts";
import { Json5Fault, readJson5 } from "./json5/read-json5.ts";

/** A configuration as it is in its file: unchecked, with references such as `$NAME` still in it. */
export interface RawConfig {
  readonly text: string;
  readonly value: unknown;
  /** Its `servers`; empty if it has none. */
  readonly servers: Readonly<Record<string, unknown>>;
}

/** A file that does not exist is an empty configuration. */
export async function readRawConfig(path: string): Promise<RawConfig> {
  const text = await readText(path);
  try {
    const { value } = text.trim() === "" ? { value: {} } : readJson5(text);
    return { text, value, servers: asRecord(asRecord(value)["servers"]) };
  } catch (error) {
    if (!(error instanceof Json5Fault)) throw error;
    const message = `${path} can't be read: ${error.message} Fix it first. Run \`clawport config check\` to see where.`;
    throw new Fault("config", message, { cause: error });
  }
}

/** Adds servers to a configuration file and keeps everything else in it as a person wrote it. */
export async function addServers(path: string, servers: Readonly<Record<string, unknown>>): Promise<void> {
  const { text } = await readRawConfig(path);
  await writeConfigText(path, appendJson5(text, ["servers"], servers));
}

/** Keeps the permissions of the file. Writes to the file that a symbolic link points at, not over the link. */
export async function writeConfigText(path: string, text: string): Promise<void> {
  const file = await realpath(path).catch(() => path);
  const mode = await stat(file).then(
    (found) => found.mode & 0o777,
    () => 0o600,
  );
  await writeFileAtomic(file, text, { mode });
}

async function readText(path: string): Promise<string> {
  return readConfigText(path).catch((error: Fault) => {
    if (codeOf(error.cause) === "ENOENT") return "";
    throw error;
  });
}

/** Removes a server from a configuration file and keeps everything else in it as a person wrote it. */
export async function removeServerFromFile(path: string, name: string): Promise<void> {
  const { text } = await readRawConfig(path);
  await writeConfigText(path, removeJson5(text, ["servers", name]));
}
