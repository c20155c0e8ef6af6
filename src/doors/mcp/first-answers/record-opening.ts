import { existsSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { pruneFolder } from "../../../core/files/prune-folder.ts";
import { readRegularFileNow } from "../../../core/files/read-regular-file.ts";
import { writeFileAtomic } from "../../../core/files/write-file-atomic.ts";
import type { Log } from "../../../core/log.ts";
import type { Env } from "../../../core/process/child-env.ts";
import { isRequest, type JsonRpcMessage, type JsonRpcResponse } from "../../../mcp/messages/json-rpc.ts";
import { openingText } from "./answer-opening.ts";
import { maxOpeningBytes, type Opening, openingFile, type OpeningKey, writeOpenings } from "./opening-file.ts";

/** Notes how a client begins, for the next time it starts this process. */
export interface OpeningRecorder {
  /** Called with each message of the client, in order. The returned function takes its answer. */
  note(message: JsonRpcMessage): (answer: JsonRpcResponse | undefined) => void;
  /** The lists have changed: the next client must not get those that were kept. */
  discard(): void;
  close(): Promise<void>;
}

export interface OpeningRecorderOptions {
  readonly key: OpeningKey;
  readonly env: Env;
  /** The variables that the configuration refers to. */
  envNames(): Promise<readonly string[]>;
  /** Whether the lists are what the next process would show, too: every server is known. */
  isComplete(): boolean;
  readonly log: Log;
}

const recorded: ReadonlySet<string> = new Set([
  "initialize",
  "notifications/initialized",
  "server/discover",
  "tools/list",
  "prompts/list",
  "resources/list",
  "resources/templates/list",
]);
const ignore = (): void => {};
const maxMessages = 10;
/** A message that comes later than this after the last answer does not belong to the opening. */
const quietMs = 200;
const bounds = { maxAgeMs: 30 * 24 * 60 * 60 * 1000, maxFiles: 100, maxBytes: 64 * 1024 * 1024 };

interface NotedMessage {
  readonly text: string;
  answer: string | undefined;
  /** Its answer is due. */
  isOpen: boolean;
}

export function recordOpening(options: OpeningRecorderOptions): OpeningRecorder {
  const { key, env, log } = options;
  const messages: NotedMessage[] = [];
  /** No further message belongs to the opening. */
  let isOver = false;
  /** It is kept, or will not be. */
  let isDecided = false;
  let isClosed = false;
  let saving: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;

  return {
    note(message) {
      if (!("method" in message) || !recorded.has(message.method) || messages.length === maxMessages) end();
      if (isOver || !("method" in message)) return ignore;
      const noted: NotedMessage = { text: openingText(message), answer: undefined, isOpen: isRequest(message) };
      messages.push(noted);
      return noted.isOpen ? (answer) => noteAnswer(noted, answer) : ignore;
    },
    discard() {
      // The servers leave the list when the process ends.
      if (isClosed) return;
      clearTimeout(timer);
      isOver = true;
      isDecided = true;
      saving = saving.then(remove);
    },
    async close() {
      decide();
      isClosed = true;
      await saving;
    },
  };

  function noteAnswer(noted: NotedMessage, answer: JsonRpcResponse | undefined): void {
    // What failed stays open: neither it nor what follows is kept.
    if (answer === undefined || !("result" in answer)) return;
    noted.answer = JSON.stringify(answer.result);
    noted.isOpen = false;
    clearTimeout(timer);
    if (isOver) end();
    else timer = setTimeout(end, quietMs).unref();
  }

  /** Waits for answers that are still due. */
  function end(): void {
    clearTimeout(timer);
    isOver = true;
    if (messages.every(({ isOpen }) => !isOpen)) decide();
  }

  function decide(): void {
    clearTimeout(timer);
    if (isDecided) return;
    isOver = true;
    isDecided = true;
    const open = messages.findIndex(({ isOpen }) => isOpen);
    const opening = open < 0 ? messages : messages.slice(0, open);
    const hasList = opening.some(({ text }) => text.startsWith('["tools/list"'));
    if (hasList && options.isComplete()) saving = saving.then(() => save(opening));
  }

  async function save(opening: Opening): Promise<void> {
    try {
      const path = openingFile(key);
      const text = await writeOpenings(key, env, await options.envNames(), opening);
      const isKept = existsSync(path) && readRegularFileNow(path, maxOpeningBytes) === text;
      if (isKept || Buffer.byteLength(text) > maxOpeningBytes) return;
      await writeFileAtomic(path, text);
      await pruneFolder(dirname(path), log, Date.now(), bounds);
    } catch (error) {
      log.debug("could not keep how the client begins", { error });
    }
  }

  function remove(): void {
    try {
      rmSync(openingFile(key), { force: true });
    } catch (error) {
      log.debug("could not remove how the client begins", { error });
    }
  }
}
