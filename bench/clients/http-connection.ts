import { once } from "node:events";
import { connect } from "node:net";

interface HttpAnswer {
  readonly status: number;
  readonly head: string;
  readonly body: Buffer;
}

/** One kept-alive connection with one request under way at a time. */
export interface HttpConnection {
  send(head: string, body: string): Promise<HttpAnswer>;
  close(): void;
}

const lastChunk = Buffer.from("0\r\n\r\n");

/** Node's own HTTP client costs more than some of the servers it would measure. */
export async function openHttpConnection(port: number): Promise<HttpConnection> {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  await once(socket, "connect");
  let settle: { resolve(answer: HttpAnswer): void; reject(reason: Error): void } | undefined;
  let parts: Buffer[] = [];
  let head: string | undefined;
  let missing = 0;

  socket.on("data", (chunk: Buffer) => {
    let rest = chunk;
    if (head === undefined) {
      const bytes = parts.length === 0 ? chunk : Buffer.concat([...parts, chunk]);
      const end = bytes.indexOf("\r\n\r\n");
      if (end < 0) return void (parts = [bytes]);
      head = bytes.toString("latin1", 0, end);
      missing = bodyLength(head);
      parts = [];
      rest = bytes.subarray(end + 4);
    }
    parts.push(rest);
    missing -= rest.length;
    // Without a length the body comes in chunks, and the last of these is empty. Our data holds no line breaks.
    const done = Number.isNaN(missing) ? rest.subarray(-5).equals(lastChunk) : missing <= 0;
    if (done) finish();
  });
  socket.on("close", () => settle?.reject(new Error("the target closed the connection")));
  socket.on("error", (error) => settle?.reject(error));

  function finish(): void {
    const answer = { status: Number(head?.slice(9, 12)), head: head ?? "", body: Buffer.concat(parts) };
    const waiting = settle;
    parts = [];
    head = undefined;
    settle = undefined;
    waiting?.resolve(answer);
  }

  return {
    send(requestHead, body) {
      return new Promise((resolve, reject) => {
        settle = { resolve, reject };
        socket.write(`${requestHead}Content-Length: ${body.length}\r\n\r\n${body}`, "latin1");
      });
    },
    close: () => void socket.destroy(),
  };
}

function bodyLength(head: string): number {
  if (/^transfer-encoding: *chunked$/im.test(head)) return NaN;
  return Number(/^content-length: *(\d+)$/im.exec(head)?.[1] ?? 0);
}
