import { isUtf8 } from "node:buffer";
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { parseJson } from "./json.ts";
import { Fault } from "./fault.ts";
import { lazyCrypto } from "./secrets/crypto.ts";

/** Parses JSON. Refuses bytes that are not UTF-8, which a decoder would silently replace. */
export function parseJsonBytes(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw new Fault("bad-json", "Parse error: the message is not UTF-8.");
  try {
    return parseJson(bytes.toString("utf8"));
  } catch (cause) {
    throw new Fault("bad-json", "Parse error: the message is not JSON.", { cause });
  }
}

/** Which strings of a message go to files, and where. */
export interface SpillOptions {
  readonly folder: string;
  readonly overBytes: number;
}

/** A string of a message that was written to an owner-only file instead of kept in memory. */
export interface SpilledText {
  readonly path: string;
  readonly bytes: number;
  /** Whether the file holds JSON escapes (`\n`, `\/`): it has the string as it was between its quotes. Base64 has none. */
  readonly isEscaped: boolean;
}

/** The spilled strings of one message, by their placeholders. */
export interface SpilledTexts {
  get(placeholder: string): SpilledText | undefined;
  placeholders(): readonly string[];
  /** Keeps the files until the returned function is called, even if the message is answered before that. */
  hold(): () => void;
}

/**
 * Reads the bytes of one JSON message and keeps everything but its long strings. Each of those goes to a file and is
 * replaced by a placeholder that a client can't guess, so that it can't point at a file.
 */
export interface JsonSpiller {
  push(bytes: Buffer): void;
  /** How much of the message is not in files. */
  readonly bytesInMemory: number;
  /** The message with its placeholders, and the strings they stand for. */
  end(): { readonly json: Buffer; readonly texts: SpilledTexts };
  /** Removes the files once nothing holds them any more. */
  dispose(): void;
}

const quote = 34;
const backslash = 92;

export function createJsonSpiller({ folder, overBytes }: SpillOptions): JsonSpiller {
  let secret: string | undefined;
  const texts = new Map<string, SpilledText>();
  let kept: Buffer[] = [];
  let keptBytes = 0;
  /** Pieces of the current string, while it may still turn out short. */
  let held: Buffer[] = [];
  let heldBytes = 0;
  let open: { path: string; file: number; bytes: number } | undefined;
  let inText = false;
  let isEscaped = false;
  /** The last piece ended with a backslash, so the next byte belongs to the escape, even if it is a quote. */
  let inEscape = false;
  let holders = 0;
  let isDisposed = false;

  const spilled: SpilledTexts = {
    get: (placeholder) => texts.get(placeholder),
    placeholders: () => [...texts.keys()],
    hold() {
      let holds = true;
      holders++;
      return () => {
        if (holds) holders--;
        holds = false;
        if (isDisposed) removeUnheld();
      };
    },
  };

  return {
    push(bytes) {
      let at = 0;
      while (at < bytes.length) at = inText ? readText(bytes, at) : readRest(bytes, at);
    },
    get bytesInMemory() {
      return keptBytes + (open ? 0 : heldBytes);
    },
    end() {
      if (inText) throw new Fault("bad-json", "Parse error: the message ends inside a text.");
      return { json: Buffer.concat(kept), texts: spilled };
    },
    dispose() {
      if (open) {
        closeSync(open.file);
        rmSync(open.path, { force: true });
        open = undefined;
      }
      kept = [];
      isDisposed = true;
      removeUnheld();
    },
  };

  function removeUnheld(): void {
    if (holders > 0) return;
    for (const { path } of texts.values()) rmSync(path, { force: true });
    texts.clear();
  }

  function readRest(bytes: Buffer, from: number): number {
    const end = bytes.indexOf(quote, from);
    const until = end < 0 ? bytes.length : end + 1;
    kept.push(bytes.subarray(from, until));
    keptBytes += until - from;
    inText = end >= 0;
    return until;
  }

  function readText(bytes: Buffer, from: number): number {
    const end = endOfText(bytes, from);
    const until = end < 0 ? bytes.length : end;
    if (until > from) take(bytes.subarray(from, until));
    if (end < 0) return until;
    endText();
    return until + 1;
  }

  /** Where the closing quote is, or -1. */
  function endOfText(bytes: Buffer, from: number): number {
    let at = from;
    if (inEscape) {
      inEscape = false;
      at++;
    }
    for (;;) {
      const end = bytes.indexOf(quote, at);
      const slash = bytes.subarray(at, end < 0 ? undefined : end).indexOf(backslash);
      if (slash < 0) return end;
      isEscaped = true;
      at += slash + 2;
      if (at > bytes.length) {
        inEscape = true;
        return -1;
      }
    }
  }

  function take(piece: Buffer): void {
    if (!open) {
      held.push(piece);
      heldBytes += piece.length;
      if (heldBytes <= overBytes) return;
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const path = join(folder, `text-${lazyCrypto().randomBytes(12).toString("hex")}`);
      open = { path, file: openSync(path, "wx", 0o600), bytes: 0 };
      for (const earlier of held) append(open, earlier);
      held = [];
    } else append(open, piece);
  }

  function append(text: { file: number; bytes: number }, piece: Buffer): void {
    text.bytes += piece.length;
    for (let written = 0; written < piece.length;) written += writeSync(text.file, piece, written);
  }

  function endText(): void {
    if (open) {
      closeSync(open.file);
      secret ??= lazyCrypto().randomBytes(16).toString("hex");
      const placeholder = `spilled-${secret}-${texts.size}`;
      texts.set(placeholder, { path: open.path, bytes: open.bytes, isEscaped });
      kept.push(Buffer.from(`${placeholder}"`));
      open = undefined;
    } else {
      kept.push(...held, closingQuote);
      keptBytes += heldBytes;
    }
    held = [];
    heldBytes = 0;
    inText = false;
    isEscaped = false;
  }
}

const closingQuote = Buffer.from('"');
