import { Fault } from "../../../core/fault.ts";
import type { Log } from "../../../core/log.ts";
import type { ClientTransport, TransportListener } from "../../../mcp/client/client-transport.ts";
import { readMessages } from "../../../mcp/client/read-messages.ts";
import { createFrameReader } from "../../../mcp/frame-reader.ts";
import type { Tail } from "../tail.ts";
import { type Exit, type ServerCommand, type ServerProcess, startServerProcess } from "./server-process.ts";

export interface StdioTransportOptions {
  readonly server: ServerCommand;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stderr: Tail;
  readonly log: Log;
  /** The largest message taken; what a server sends beyond that is skipped, and the calls in flight fail. */
  readonly maxMessageBytes: number;
}

/** A stdio server, in a process that leaves nothing behind. */
export interface StdioTransport extends ClientTransport {
  pid(): number | undefined;
}

export function createStdioTransport(options: StdioTransportOptions): StdioTransport {
  const { server, env, stderr, log, maxMessageBytes } = options;
  let child: ServerProcess | undefined;
  let exit: Exit | undefined;
  let stopping: Promise<void> | undefined;

  const close = () => (stopping ??= child ? child.stop() : Promise.resolve());
  return {
    cancelsByClosing: false,
    sessionId: undefined,
    settle: () => {},
    close,
    pid: () => (exit ? undefined : child?.pid),
    async start(listener) {
      child = await startServerProcess(server, { env, stderr });
      read(child, listener);
      void child.exited.then((ended) => {
        exit = ended;
        listener.onClose(
          new Fault("outcome-unknown", `The server's process ended (${describeExit(ended)}).${lastWords(stderr)}`),
        );
        // What it started may still be there, even if it went by itself.
        return close();
      });
    },
    send(message) {
      return new Promise((resolve, reject) => {
        if (!child || exit || child.stdin.destroyed)
          return reject(new Fault("unavailable", "The server's process has ended."));
        child.stdin.write(`${JSON.stringify(message)}\n`, (cause) => {
          if (cause)
            reject(new Fault("outcome-unknown", "The server's process does not read what is sent to it.", { cause }));
          else resolve();
        });
      });
    },
  };

  function read(from: ServerProcess, listener: TransportListener): void {
    const reader = createFrameReader(maxMessageBytes, {
      onFrame(frame) {
        for (const message of readMessages(frame.toString("utf8"), log)) listener.onMessage(message, undefined);
      },
      onRefused() {
        // Whose answer that was can't be told any more, so the connection is no use: it starts anew.
        listener.onClose(
          new Fault("too-large", `The server sent a message larger than the ${maxMessageBytes} bytes taken here.`),
        );
        void close();
      },
    });
    from.stdout.on("data", reader.push);
  }
}

function describeExit({ code, signal }: Exit): string {
  return signal === null ? `exit code ${code}` : `killed by ${signal}`;
}

/** What it said last is usually why it went. */
function lastWords(stderr: Tail): string {
  const text = stderr.text().trim();
  return text === "" ? "" : ` It said last: ${JSON.stringify(text.slice(-300))}`;
}
