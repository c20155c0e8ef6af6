import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** Connections that have sent part of a request and keep the rest to themselves. */
export interface HalfRequests extends Disposable {
  readonly sockets: readonly Socket[];
  /** What each connection was answered so far. */
  readonly answers: readonly string[];
  /** How many the other side has closed. */
  readonly closed: number;
  /** Sends one more byte on each open connection. */
  trickle(): void;
}

/** Opens so many connections that each send this text and then wait. */
export async function sendHalf(port: number, text: string, count: number): Promise<HalfRequests> {
  const answers = Array.from({ length: count }, () => "");
  let closed = 0;
  const sockets = await Promise.all(
    answers.map(async (_, at) => {
      const socket = connect(port, "127.0.0.1");
      socket.on("error", () => {}).on("close", () => closed++);
      socket.on("data", (bytes) => (answers[at] += String(bytes)));
      await once(socket, "connect");
      socket.write(text);
      return socket;
    }),
  );
  return {
    sockets,
    answers,
    get closed() {
      return closed;
    },
    trickle() {
      for (const socket of sockets) if (socket.writable) socket.write(" ");
    },
    [Symbol.dispose]() {
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** The head of a POST whose body has `length` bytes. */
export function postHead(path: string, token: string, length: number): string {
  return [
    `POST ${path} HTTP/1.1`,
    "host: 127.0.0.1",
    "content-type: application/json",
    "accept: application/json, text/event-stream",
    `authorization: Bearer ${token}`,
    `content-length: ${length}`,
    "",
    "",
  ].join("\r\n");
}

/** Half of a call: a complete head, and a body that has only begun. */
export function halfBody(path: string, token: string): string {
  return `${postHead(path, token, 100_000)}{"jsonrpc":"2.0",`;
}
