import { setTimeout as sleep } from "node:timers/promises";
import { Fault } from "../../../core/fault.ts";
import { atTurnEnd, prepareToSend } from "../../../core/http/turn-end.ts";
import { InFlight } from "../../../core/in-flight.ts";
import type { Log } from "../../../core/log.ts";
import { quotedPeerTail } from "../../../core/text/peer-text.ts";
import { inSlices } from "../../../core/slices/in-slices.ts";
import { decodeInSlices } from "../../../core/slices/text-slices.ts";
import type { Env } from "../../../core/process/child-env.ts";
import type { ProcessExit, ProgramCommand } from "../../../core/process/process-tree.ts";
import type { Tail } from "../../../core/process/tail.ts";
import type { ClientTransport, TransportListener } from "../../../mcp/client/client-transport.ts";
import { type OnRefused, readMessages, readMessagesInSlices } from "../../../mcp/client/read-messages.ts";
import type { JsonRpcMessage } from "../../../mcp/messages/json-rpc.ts";
import { createFrameReader } from "../../../mcp/stdio/frame-reader.ts";
import { ServerExit } from "./server-exit.ts";
import { type ServerProcess, startServerProcess } from "./server-process.ts";

export interface StdioTransportOptions {
  /** The name of the server, for the command that shows its output. */
  readonly name: string;
  readonly server: ProgramCommand;
  readonly env: Env;
  readonly stderr: Tail;
  readonly log: Log;
  /** A larger message closes the connection, and the running calls fail. */
  readonly maxMessageBytes: number;
}

/** A stdio server, in a process that leaves nothing behind. */
export interface StdioTransport extends ClientTransport {
  pid(): number | undefined;
  /** The first text on its stdout that is not a message; undefined if there was none, or a message came before it. */
  strayOutput(): string | undefined;
}

/** How long to wait for the rest of the output of a server that has exited. */
const drainMs = 1000;
/** A large piece is written at once: collecting it would only use memory. */
const maxCollectedChars = 64 * 1024;
const maxStrayChars = 2000;
/** Enough for the reason that comes before the closing lines of npm, and still short enough for one line about a server. */
const maxLastOutput = 420;

export function createStdioTransport(options: StdioTransportOptions): StdioTransport {
  const { name, server, env, stderr, log, maxMessageBytes } = options;
  const explain = server.cage?.kind === "on" ? server.cage.explain : undefined;
  let batch: Batch | undefined;
  const writing = new InFlight<Promise<void>>();
  let child: ServerProcess | undefined;
  let exit: ProcessExit | undefined;
  let isClosed = false;
  let isUnderstood = false;
  let stray: string | undefined;
  let printedBefore = 0;
  let stopping: Promise<void> | undefined;
  /** The reading of large messages, and of those that came after them. */
  let reading: Promise<void> | undefined;

  const close = () => (stopping ??= child ? child.stop() : Promise.resolve());
  return {
    cancelsByClosing: false,
    sessionId: undefined,
    settle: () => {},
    close,
    pid: () => (exit ? undefined : child?.pid()),
    strayOutput: () => (isUnderstood ? undefined : stray),
    async start(listener) {
      printedBefore = stderr.pushed();
      child = await startServerProcess(server, { env, stderr });
      read(child, listener);
      void watch(child, listener);
    },
    send(message) {
      if (!child || exit || !child.stdin.writable) return Promise.reject(processGone());
      const { stdin } = child;
      if (!batch) {
        const opened = (batch = new Batch());
        writing.add(opened.written);
        atTurnEnd(() => flush(opened, stdin));
      }
      const { written } = batch;
      batch.add(`${JSON.stringify(message)}\n`);
      if (batch.text.length > maxCollectedChars) flush(batch, stdin);
      return written;
    },
  };

  /** Writes what was sent in this turn of the event loop in one piece: each write would wake the server. */
  function flush(collected: Batch, stdin: ServerProcess["stdin"]): void {
    if (batch !== collected) return;
    batch = undefined;
    prepareToSend();
    stdin.write(collected.text, (cause) => {
      writing.delete(collected.written);
      collected.settle(cause ?? undefined);
    });
  }

  function noteStray(text: string, messages: number): void {
    if (messages > 0) isUnderstood = true;
    else if (text.trim() !== "") stray ??= text.slice(0, maxStrayChars).trim();
  }

  /** Waits until the process has exited and its output has been read, before the running calls fail. */
  async function watch(watched: ServerProcess, listener: TransportListener): Promise<void> {
    exit = await watched.exited;
    // Processes that it started may still hold its pipes open.
    watched.killRest();
    await reading;
    await Promise.race([Promise.allSettled([watched.drained, ...writing]), sleep(drainMs, undefined, { ref: false })]);
    await reading;
    const output = stderr.text(printedBefore);
    reportClosed(listener, exitFault(name, exit, output, explain?.(output) ?? []));
    await close();
  }

  function reportClosed(listener: TransportListener, fault: Fault): void {
    if (!isClosed) listener.onClose(fault);
    isClosed = true;
  }

  function read(from: ServerProcess, listener: TransportListener): void {
    const onRefused: OnRefused = (id, fault) => listener.onLost(id, fault);
    /** What came after a large message waits until that is read, so that it does not overtake it. */
    const waiting: (Buffer | readonly Buffer[])[] = [];
    const onFrame = (frame: Buffer): void => {
      if (reading) return void waiting.push(frame);
      const text = frame.toString("utf8");
      deliver(text, readMessages(text, log, onRefused));
    };
    const refuse = (cause: unknown): void => {
      // It is not known which call that answered, so the connection is closed and opened again.
      const fault =
        cause === undefined
          ? new Fault("too-large", `The server sent a message larger than the limit of ${maxMessageBytes} bytes.`)
          : new Fault("outcome-unknown", "A message from the server could not be processed.", { cause });
      log.warn("a message from the server was refused", { error: cause ?? fault });
      reportClosed(listener, fault);
      void close();
    };
    const reader = createFrameReader(maxMessageBytes, {
      onFrame,
      onLargeFrame(parts) {
        waiting.push(parts);
        reading ??= readWaiting();
      },
      onRefused: refuse,
    });
    from.stdout.on("data", reader.push);

    async function readWaiting(): Promise<void> {
      from.stdout.pause();
      while (waiting.length > 0 && !isClosed && !stopping) await readNext(waiting.shift()!).catch(refuse);
      reading = undefined;
      from.stdout.resume();
    }

    async function readNext(frame: Buffer | readonly Buffer[]): Promise<void> {
      const isSmall = Buffer.isBuffer(frame);
      const text = isSmall ? frame.toString("utf8") : await inSlices(decodeInSlices(frame));
      deliver(
        text,
        isSmall ? readMessages(text, log, onRefused) : await inSlices(readMessagesInSlices(text, log, onRefused)),
      );
    }

    function deliver(text: string, messages: readonly JsonRpcMessage[]): void {
      if (!isUnderstood) noteStray(text, messages.length);
      // A tool's own error may be about what the cage refused.
      if (explain !== undefined && text.includes('"isError":true')) explain(text);
      for (const message of messages) listener.onMessage(message, undefined);
    }
  }
}

/** The lines of one turn of the event loop. */
class Batch {
  text = "";
  #count = 0;
  readonly #end = Promise.withResolvers<void>();

  get written(): Promise<void> {
    return this.#end.promise;
  }

  add(line: string): void {
    this.text += line;
    this.#count++;
  }

  /** The server can't have understood a line that was written only in part, but it may have understood those before it. */
  settle(cause: Error | undefined): void {
    if (!cause) this.#end.resolve();
    else this.#end.reject(this.#count === 1 ? processGone(cause) : new Fault("outcome-unknown", notWritten, { cause }));
  }
}

const notWritten = "The server's process has exited, or does not read its input.";

function processGone(cause?: Error): Fault {
  return new Fault("unavailable", notWritten, { cause });
}

/** What a program printed may be meant for the user alone, so callers get only the reason. */
function exitFault(name: string, exit: ProcessExit, output: string, refusals: readonly string[]): Fault {
  const what = `The server's process exited (${describeExit(exit)}).`;
  const refused = refusals.length === 0 ? "" : ` It may be that ${refusals.join("; ")}.`;
  const cause = new ServerExit(`${what}${refused}${lastOutput(output)}`);
  return new Fault("outcome-unknown", `${what} Run \`clawport logs ${name}\` to see its output.`, { cause });
}

function describeExit({ code, signal }: ProcessExit): string {
  return signal === null ? `exit code ${code}` : `killed by ${signal}`;
}

/** The last output usually says why it exited; the stack that Node prints below an error does not. */
function lastOutput(output: string): string {
  const text = output.replaceAll(/^[ \t]+at .*$/gm, "").trim();
  return text === "" ? "" : ` Its last output: ${quotedPeerTail(text, maxLastOutput)}`;
}
