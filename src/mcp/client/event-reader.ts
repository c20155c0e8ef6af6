/** One event of a `text/event-stream`. */
export interface StreamEvent {
  readonly data: string;
  readonly event: string;
}

export interface EventReader {
  push(text: string): void;
  /** The id to resume from. Undefined if no event had one. */
  lastId(): string | undefined;
  /** How long the server asks a client to wait before it reconnects. */
  retryMs(): number | undefined;
}

const byteOrderMark = "\uFEFF";

/** Reads an event stream as the HTML standard defines it (§ 9.2.6), line by line. */
export function createEventReader(onEvent: (event: StreamEvent) => void, maxChars: number): EventReader {
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

  return {
    push(text) {
      if (text === "") return;
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
    const line = pieces.length === 0 ? rest : pieces.join("") + rest;
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
    if (!isEmpty) onEvent({ data: text, event: name });
  }
}
