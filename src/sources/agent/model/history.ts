import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { ModelMessage } from "ai";
import { Fault } from "../../../core/fault.ts";
import { readJsonFile } from "../../../core/read-json-file.ts";
import { codeOf } from "../../../core/thrown.ts";
import { writeFileAtomic } from "../../../core/write-file-atomic.ts";
import { hashSessionKey } from "../session-key.ts";

/** A conversation as it lies on disk. */
export interface Conversation {
  readonly sessionKey: string;
  readonly startedAt: string;
  readonly updatedAt: string;
  readonly messages: readonly ModelMessage[];
}

/** Conversations with the model, a file each, readable by their owner only. Whoever writes one holds its turn. */
export interface Histories {
  read(sessionKey: string): Promise<readonly ModelMessage[]>;
  write(sessionKey: string, messages: readonly ModelMessage[]): Promise<void>;
  /** Latest first. */
  list(): Promise<readonly Conversation[]>;
  find(sessionKey: string): Promise<Conversation | undefined>;
  /** Whether there was one. */
  remove(sessionKey: string): Promise<boolean>;
}

export function openHistories(folder: string, now: () => Date = () => new Date()): Histories {
  const fileOf = (sessionKey: string): string => join(folder, `${hashSessionKey(sessionKey)}.json`);

  async function load(path: string): Promise<Conversation | undefined> {
    const file = await readJsonFile(path, parseConversation);
    if (file.state === "good") return file.value;
    if (file.state === "missing") return undefined;
    const message = `The conversation in ${path} can't be read. Delete the file to begin it anew.`;
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
      const names = await readdir(folder).catch((error: unknown) => {
        if (codeOf(error) === "ENOENT") return [];
        throw error;
      });
      const files = names.filter((name) => /^[0-9a-f]{16}\.json$/.test(name));
      const all = await Promise.all(files.map((name) => load(join(folder, name))));
      return all.filter((each) => each !== undefined).toSorted((a, b) => b.updatedAt.localeCompare(a.updatedAt));
    },
    find: (sessionKey) => load(fileOf(sessionKey)),
    async remove(sessionKey) {
      const isThere = (await load(fileOf(sessionKey)).catch(() => true)) !== undefined;
      await rm(fileOf(sessionKey), { force: true });
      return isThere;
    },
  };
}

function parseConversation(value: unknown): Conversation {
  const { sessionKey, startedAt, updatedAt, messages } = value as Partial<Conversation>;
  if (typeof sessionKey !== "string" || typeof startedAt !== "string" || typeof updatedAt !== "string")
    throw new Fault("corrupt", "no conversation");
  if (!Array.isArray(messages)) throw new Fault("corrupt", "no messages");
  return { sessionKey, startedAt, updatedAt, messages: messages as ModelMessage[] };
}
