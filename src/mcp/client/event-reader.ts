/** One event of a `text/event-stream`. */
export interface StreamEvent {
  readonly data: string;
  readonly event: string;
}

export interface EventReader {
  /** The promise, if any, settles when all events in the text are taken. Wait for it before you push more. */
  push(text: string): Promise<void> | undefined;
  /** The id to resume from. Undefined if no event had one. */
  lastId(): string | undefined;
  /** How long the server asks a client to wait before it reconnects. */
  retryMs(): number | undefined;
}

const byteOrderMark = "\uFEFF";

/** Takes an event. The next one waits for the promise, if there is one. */
export type OnEvent = (event: StreamEvent) => Promise<void> | undefined | void;

/** Reads an event stream as the HTML standard defines it (§ 9.2.6), line by line. */
export function createEventReader(onEvent: OnEvent, maxChars: number): EventReader {
  const lineEnd = /\r\n|\n|\r/g;
  /** The pieces of the current line. They are joined once, at its end. */
  let pieces: string[] = [];
  let lineLength = 0;
  let data: string[] = [];
  let size = 0;
  let event = "";
  let id: string | undefined;
  let lastId: string | undefined;
  let retry: number | undefined;
  let isFirst = true;
  let sawReturn = false;
  let taking: Promise<void> | undefined;

  return {
    push(text) {
      if (text === "") return undefined;
      let start = isFirst && text.startsWith(byteOrderMark) ? 1 : 0;
      isFirst = false;
      // A line feed right after a carriage return at the end of the last piece belongs to the same line end.
      if (sawReturn && text.startsWith("\n")) start = 1;
      sawReturn = text.endsWith("\r");
      lineEnd.lastIndex = start;
      for (let end = lineEnd.exec(text); end; end = lineEnd.exec(text)) {
        const rest = text.slice(start, end.index);
        start = lineEnd.lastIndex;
        endLine(rest);
      }
      addPiece(text.slice(start));
      const taken = taking;
      taking = undefined;
      return taken;
    },
    lastId: () => lastId,
    retryMs: () => retry,
  };

  function addPiece(text: string): void {
    if (text === "") return;
    pieces.push(text);
    lineLength += text.length;
    if (lineLength + size > maxChars) throw new RangeError("an event of the stream is too large");
  }

  function endLine(rest: string): void {
    // Joined with the rest: to add it later would copy a long line twice.
    const line = pieces.length === 0 ? rest : [...pieces, rest].join("");
    pieces = [];
    lineLength = 0;
    readLine(line);
  }

  function readLine(line: string): void {
    if (line === "") return dispatch();
    const colon = line.indexOf(":");
    if (colon === 0) return;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    if (field === "data") {
      data.push(value);
      size += value.length;
      if (size > maxChars) throw new RangeError("an event of the stream is too large");
    } else if (field === "event") event = value;
    else if (field === "id" && !value.includes("\0")) id = value;
    else if (field === "retry" && /^\d{1,9}$/.test(value)) retry = Number(value);
  }

  function dispatch(): void {
    if (id !== undefined) lastId = id;
    const text = data.join("\n");
    const name = event === "" ? "message" : event;
    const isEmpty = data.length === 0;
    data = [];
    size = 0;
    event = "";
    if (isEmpty) return;
    const found = { data: text, event: name };
    if (taking) taking = taking.then(() => onEvent(found));
    else taking = onEvent(found) ?? undefined;
  }
}
