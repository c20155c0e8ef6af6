import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { codeOf, Fault } from "../../../core/fault.ts";
import { readJsonFile } from "../../../core/files/state-file.ts";
import { writeFileAtomic } from "../../../core/files/write-file-atomic.ts";
import type { ModelMessage } from "../model/model-messages.ts";
import { hashSessionKey, isGeneratedKey } from "./session-key.ts";

/** A conversation as it is stored. */
export interface StoredConversation {
  readonly sessionKey: string;
  readonly startedAt: string;
  readonly updatedAt: string;
  readonly messages: readonly ModelMessage[];
}

/** Conversations with the model, one file each, readable by their owner only. A writer must hold the session's lock. */
export interface ConversationFiles {
  read(sessionKey: string): Promise<readonly ModelMessage[]>;
  write(sessionKey: string, messages: readonly ModelMessage[]): Promise<void>;
  /** Latest first. */
  list(): Promise<readonly StoredConversation[]>;
  find(sessionKey: string): Promise<StoredConversation | undefined>;
  /** Whether it existed. */
  remove(sessionKey: string): Promise<boolean>;
  /** Deletes old or surplus conversations of orders without a session key: they are unlikely to be continued. */
  sweep(): Promise<void>;
}

const maxUnnamed = 1000;
const maxUnnamedAgeMs = 30 * 24 * 60 * 60 * 1000;

export function openConversationFiles(folder: string, now: () => Date = () => new Date()): ConversationFiles {
  const fileOf = (sessionKey: string): string =>
    join(folder, `${isGeneratedKey(sessionKey) ? "unnamed-" : ""}${hashSessionKey(sessionKey)}.json`);

  async function fileNames(): Promise<readonly string[]> {
    const names = await readdir(folder).catch((error: unknown) => {
      if (codeOf(error) === "ENOENT") return [];
      throw error;
    });
    return names.filter((name) => /^(?:unnamed-)?[0-9a-f]{16}\.json$/.test(name));
  }

  async function load(path: string): Promise<StoredConversation | undefined> {
    const file = await readJsonFile(path, parseConversation);
    if (file.state === "good") return file.value;
    if (file.state === "missing") return undefined;
    const message = `Could not read the conversation in ${path}. Delete the file to start a new one.`;
    throw new Fault("corrupt", message, { cause: file.error });
  }

  return {
    read: async (sessionKey) => (await load(fileOf(sessionKey)))?.messages ?? [],
    async write(sessionKey, messages) {
      const path = fileOf(sessionKey);
      const updatedAt = now().toISOString();
      const startedAt = (await load(path))?.startedAt ?? updatedAt;
      await writeFileAtomic(path, JSON.stringify({ sessionKey, startedAt, updatedAt, messages }));
    },
    async list() {
      const all = await Promise.all((await fileNames()).map((name) => load(join(folder, name))));
      return all.filter((each) => each !== undefined).toSorted((a, b) => b.updatedAt.localeCompare(a.updatedAt));
    },
    find: (sessionKey) => load(fileOf(sessionKey)),
    async remove(sessionKey) {
      const existed = (await load(fileOf(sessionKey)).catch(() => true)) !== undefined;
      await rm(fileOf(sessionKey), { force: true });
      return existed;
    },
    async sweep() {
      const paths = (await fileNames()).filter((name) => name.startsWith("unnamed-")).map((name) => join(folder, name));
      const files = await Promise.all(paths.map(async (path) => ({ path, at: (await stat(path)).mtimeMs })));
      const newestFirst = files.toSorted((a, b) => b.at - a.at);
      const old = newestFirst.filter(({ at }, n) => n >= maxUnnamed || now().getTime() - at > maxUnnamedAgeMs);
      await Promise.all(old.map(({ path }) => rm(path, { force: true })));
    },
  };
}

function parseConversation(value: unknown): StoredConversation {
  const { sessionKey, startedAt, updatedAt, messages } = value as Partial<StoredConversation>;
  if (typeof sessionKey !== "string" || typeof startedAt !== "string" || typeof updatedAt !== "string")
    throw new Fault("corrupt", "not a conversation");
  if (!Array.isArray(messages)) throw new Fault("corrupt", "no messages");
  return { sessionKey, startedAt, updatedAt, messages: messages as ModelMessage[] };
}
