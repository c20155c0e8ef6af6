import { createConnection, type Socket } from "node:net";
import { Fault, messageOf } from "../../../core/fault.ts";
import type { Env } from "../../../core/process/child-env.ts";
import { withDeadline } from "../../../core/wait.ts";
import { type DbusMessage, dbusMessageLength, decodeDbusMessage, encodeDbusMessage } from "./message.ts";

/** A method of an object on the bus, and what it is called with. */
export interface DbusCall {
  readonly destination: string;
  readonly path: string;
  readonly interface: string;
  readonly member: string;
  readonly signature?: string;
  readonly body?: readonly unknown[];
}

/** A signal of an object of this process. */
export type DbusSignal = Omit<DbusCall, "destination">;

/** What an object of this process answers to a call. */
export interface DbusReply {
  readonly signature: string;
  readonly body: readonly unknown[];
}

/** Refuses a call with this name of an error, such as `org.freedesktop.DBus.Error.UnknownMethod`. */
export class DbusRefusal extends Error {
  readonly errorName: string;

  constructor(errorName: string, message: string) {
    super(message);
    this.errorName = errorName;
  }
}

/** A connection to a message bus. */
export interface DbusConnection {
  /** Rejects with `unavailable` and the bus's own words if the method fails. */
  call(
    call: DbusCall,
    options?: { readonly signal?: AbortSignal | undefined; readonly timeoutMs?: number },
  ): Promise<readonly unknown[]>;
  /** Calls the listener for signals that a rule (such as `type='signal',member='ActionInvoked'`) selects. */
  listen(rule: string, listener: (message: DbusMessage) => void): Promise<void>;
  /** Answers the calls that others make to this connection. Without it they get no answer. */
  serve(answer: (call: DbusMessage) => DbusReply): void;
  emit(signal: DbusSignal): void;
  onClose(listener: () => void): void;
  close(): void;
}

export type Bus = "session" | "system";

/** Where a bus is; undefined if the environment does not say. */
export function busAddress(bus: Bus, env: Env): string | undefined {
  if (bus === "system") return env["DBUS_SYSTEM_BUS_ADDRESS"] ?? "unix:path=/run/dbus/system_bus_socket";
  const runtime = env["XDG_RUNTIME_DIR"];
  return env["DBUS_SESSION_BUS_ADDRESS"] ?? (runtime === undefined ? undefined : `unix:path=${runtime}/bus`);
}

const daemon = {
  destination: "org.freedesktop.DBus",
  path: "/org/freedesktop/DBus",
  interface: "org.freedesktop.DBus",
};
const connectMs = 3000;
const callMs = 5000;

/** Connects to a bus and says hello. Rejects with `unavailable` if that fails. */
export async function openDbus(address: string, signal?: AbortSignal): Promise<DbusConnection> {
  const socket = createConnection(socketPath(address));
  socket.unref();
  try {
    return await withDeadline(connectMs, signal, async () => {
      await signIn(socket);
      const connection = createDbusConnection(socket);
      await connection.call({ ...daemon, member: "Hello" });
      return connection;
    });
  } catch (cause) {
    socket.destroy();
    throw new Fault("unavailable", "Could not connect to D-Bus.", { cause });
  }
}

/** Of the addresses in the list, the first that is a Unix socket. */
function socketPath(list: string): string {
  for (const address of list.split(";")) {
    const [transport, rest = ""] = address.split(/:(.*)/s);
    if (transport !== "unix") continue;
    const keys = new Map(rest.split(",").map((pair) => pair.split(/=(.*)/s) as [string, string]));
    const path = keys.get("path");
    if (path !== undefined) return decodeURIComponent(path);
    const abstract = keys.get("abstract");
    if (abstract !== undefined) return `\0${decodeURIComponent(abstract)}`;
  }
  throw new Fault("unavailable", "The address of D-Bus is not a Unix socket.");
}

/** The bus knows the user by the socket: D-Bus Specification, "EXTERNAL". */
async function signIn(socket: Socket): Promise<void> {
  const uid = Buffer.from(String(process.getuid?.() ?? 0)).toString("hex");
  let answer = "";
  await new Promise<void>((resolve, reject) => {
    const onData = (chunk: Buffer): void => {
      answer += chunk.toString("latin1");
      if (answer.length > 4096) return reject(new Fault("unavailable", "D-Bus did not accept the sign-in."));
      if (!answer.includes("\r\n")) return;
      socket.off("data", onData);
      if (answer.startsWith("OK ")) resolve();
      else reject(new Fault("unavailable", "D-Bus did not accept the sign-in."));
    };
    socket.on("data", onData);
    socket.once("error", reject);
    socket.once("close", () => reject(new Fault("unavailable", "D-Bus closed the connection.")));
    socket.write(`\0AUTH EXTERNAL ${uid}\r\n`);
  });
  socket.write("BEGIN\r\n");
}

function createDbusConnection(socket: Socket): DbusConnection {
  const waiting = new Map<number, (message: DbusMessage | Fault) => void>();
  const listeners = new Set<(message: DbusMessage) => void>();
  const closeListeners = new Set<() => void>();
  let answerCall: ((call: DbusMessage) => DbusReply) | undefined;
  let serial = 0;
  let arrived: Buffer = Buffer.alloc(0);
  let isClosed = false;

  socket.on("data", (chunk: Buffer) => {
    arrived = arrived.length === 0 ? chunk : Buffer.concat([arrived, chunk]);
    try {
      for (let length = dbusMessageLength(arrived); length !== undefined && arrived.length >= length;) {
        receive(decodeDbusMessage(arrived.subarray(0, length)));
        arrived = arrived.subarray(length);
        length = dbusMessageLength(arrived);
      }
    } catch {
      // A bus that sends nonsense can't be understood any further.
      socket.destroy();
    }
  });
  socket.on("error", () => socket.destroy());
  socket.once("close", () => {
    isClosed = true;
    const gone = new Fault("unavailable", "The connection to D-Bus was closed.");
    for (const answer of waiting.values()) answer(gone);
    waiting.clear();
    for (const listener of closeListeners) listener();
  });

  function receive(message: DbusMessage): void {
    if (message.type === "signal") for (const listener of listeners) listener(message);
    if (message.type === "call") return reply(message);
    const answer = message.replySerial === undefined ? undefined : waiting.get(message.replySerial);
    if (message.type === "return" || message.type === "error") answer?.(message);
  }

  function reply(request: DbusMessage): void {
    if (answerCall === undefined) return;
    const to = { replySerial: request.serial, destination: request.sender };
    const answer = (more: Pick<DbusMessage, "type" | "signature" | "body" | "errorName">): Buffer =>
      encodeDbusMessage({ ...to, serial: ++serial, ...more });
    let bytes: Buffer;
    try {
      bytes = answer({ type: "return", ...answerCall(request) });
    } catch (error) {
      const errorName = error instanceof DbusRefusal ? error.errorName : "org.freedesktop.DBus.Error.Failed";
      bytes = answer({ type: "error", errorName, signature: "s", body: [messageOf(error)] });
    }
    if (request.noReply !== true) socket.write(bytes);
  }

  async function call(
    request: DbusCall,
    { signal, timeoutMs = callMs }: { signal?: AbortSignal | undefined; timeoutMs?: number } = {},
  ) {
    if (isClosed) throw new Fault("unavailable", "The connection to D-Bus was closed.");
    const own = ++serial;
    try {
      return await withDeadline(timeoutMs, signal, () => {
        return new Promise<readonly unknown[]>((resolve, reject) => {
          waiting.set(own, (answer) => {
            if (answer instanceof Fault) reject(answer);
            else if (answer.type === "return") resolve(answer.body ?? []);
            else reject(failureOf(answer));
          });
          socket.write(encodeDbusMessage({ ...request, type: "call", serial: own }));
        });
      });
    } finally {
      waiting.delete(own);
    }
  }

  return {
    call,
    async listen(rule, listener) {
      listeners.add(listener);
      await call({ ...daemon, member: "AddMatch", signature: "s", body: [rule] });
    },
    serve: (answer) => void (answerCall = answer),
    emit(signal) {
      if (!isClosed) socket.write(encodeDbusMessage({ ...signal, type: "signal", serial: ++serial }));
    },
    onClose: (listener) => void closeListeners.add(listener),
    close: () => void socket.destroy(),
  };
}

function failureOf({ errorName = "an error", body = [] }: DbusMessage): Fault {
  const [text] = body;
  const said = typeof text === "string" ? text.slice(0, 300) : "no reason given";
  return new Fault("unavailable", `D-Bus: ${said}`, { detail: { error: errorName } });
}
