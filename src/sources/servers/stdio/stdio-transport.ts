import { setTimeout as sleep } from "node:timers/promises";
import { Fault } from "../../../core/fault.ts";
import type { Log } from "../../../core/log.ts";
import { quotedPeerTail } from "../../../core/peer-text.ts";
import type { ProcessExit, ProgramCommand } from "../../../core/process/process-tree.ts";
import type { Tail } from "../../../core/process/tail.ts";
import type { ClientTransport, TransportListener } from "../../../mcp/client/client-transport.ts";
import { readMessages } from "../../../mcp/client/read-messages.ts";
import { createFrameReader } from "../../../mcp/stdio/frame-reader.ts";
import { type ServerProcess, startServerProcess } from "./server-process.ts";

export interface StdioTransportOptions {
  readonly server: ProgramCommand;
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

/** How long what a server that has ended left in its pipes may take to arrive. */
const drainMs = 1000;
/** Enough for the reason above the closing remarks of npm; with the sentence before it, what a line about a server shows. */
const maxLastWords = 420;

export function createStdioTransport(options: StdioTransportOptions): StdioTransport {
  const { server, env, stderr, log, maxMessageBytes } = options;
  const writing = new Set<Promise<void>>();
  let child: ServerProcess | undefined;
  let exit: ProcessExit | undefined;
  let isClosed = false;
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
      void watch(child, listener);
    },
    async send(message) {
      if (!child || exit || !child.stdin.writable) throw processGone();
      const written = write(child, `${JSON.stringify(message)}\n`);
      writing.add(written);
      try {
        await written;
      } finally {
        writing.delete(written);
      }
    },
  };

  function write({ stdin }: ServerProcess, line: string): Promise<void> {
    return new Promise((resolve, reject) => {
      // A line of which only a part was written can't have been understood.
      stdin.write(line, (cause) => (cause ? reject(processGone(cause)) : resolve()));
    });
  }

  /** Waits for the end of the process, and for what it still had to say, before the calls that wait are given up. */
  async function watch(watched: ServerProcess, listener: TransportListener): Promise<void> {
    exit = await watched.exited;
    // What it started may still be there, and hold its pipes open.
    watched.killRest();
    await Promise.race([Promise.allSettled([watched.drained, ...writing]), sleep(drainMs, undefined, { ref: false })]);
    tellClosed(
      listener,
      new Fault("outcome-unknown", `The server's process ended (${describeExit(exit)}).${lastWords(stderr)}`),
    );
    await close();
  }

  function tellClosed(listener: TransportListener, fault: Fault): void {
    if (!isClosed) listener.onClose(fault);
    isClosed = true;
  }

  function read(from: ServerProcess, listener: TransportListener): void {
    const reader = createFrameReader(maxMessageBytes, {
      onFrame(frame) {
        for (const message of readMessages(frame.toString("utf8"), log)) listener.onMessage(message, undefined);
      },
      onRefused(cause) {
        // Whose answer that was can't be told any more, so the connection is no use: it starts anew.
        const fault =
          cause === undefined
            ? new Fault("too-large", `The server sent a message larger than the ${maxMessageBytes} bytes taken here.`)
            : new Fault("outcome-unknown", "A message of the server's could not be taken in.", { cause });
        log.warn("a message of the server's was refused", { error: cause ?? fault });
        tellClosed(listener, fault);
        void close();
      },
    });
    from.stdout.on("data", reader.push);
  }
}

function processGone(cause?: Error): Fault {
  return new Fault("unavailable", "The server's process has ended, or does not read what is sent to it.", { cause });
}

function describeExit({ code, signal }: ProcessExit): string {
  return signal === null ? `exit code ${code}` : `killed by ${signal}`;
}

/** What it said last is usually why it went; the calls that Node lists below an error are not. */
function lastWords(stderr: Tail): string {
  const text = stderr
    .text()
    .replaceAll(/^[ \t]+at .*$/gm, "")
    .trim();
  return text === "" ? "" : ` It said last: ${quotedPeerTail(text, maxLastWords)}`;
}
