import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createConnection } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { DbusMessage } from "../../src/sources/machine/dbus/message.ts";
import { dbusMessageLength, decodeDbusMessage, encodeDbusMessage } from "../../src/sources/machine/dbus/message.ts";

/** A bus of its own with one service on it. */
export interface BusService extends AsyncDisposable {
  readonly address: string;
  /** A folder that lasts as long. */
  readonly folder: string;
  send(message: Omit<DbusMessage, "serial">): void;
}

/** Answers a call to the service. */
export type Answer = (
  call: DbusMessage,
  reply: (signature: string, ...values: unknown[]) => void,
  service: BusService,
) => void;

/** The real `dbus-daemon`, and a service that only the test knows what it says. */
export async function startBusService(name: string, answer: Answer): Promise<BusService> {
  const folder = await mkdtemp(join(tmpdir(), "bus-"));
  const bus = spawn(
    "dbus-daemon",
    ["--session", "--nofork", "--nopidfile", `--address=unix:path=${folder}/bus`, "--print-address=1"],
    { stdio: ["ignore", "pipe", "ignore"] },
  );
  const [address] = (await once(createInterface({ input: bus.stdout }), "line")) as [string];
  const socket = createConnection(join(folder, "bus"));
  let serial = 0;
  let arrived: Buffer = Buffer.alloc(0);
  const send = (message: Omit<DbusMessage, "serial">): void =>
    void socket.write(encodeDbusMessage({ ...message, serial: ++serial }));
  const ready = Promise.withResolvers<void>();

  socket.on("data", (chunk: Buffer) => {
    arrived = Buffer.concat([arrived, chunk]);
    if (arrived.subarray(0, 3).toString() === "OK ") {
      arrived = arrived.subarray(arrived.indexOf("\n") + 1);
      socket.write("BEGIN\r\n");
      const daemon = {
        destination: "org.freedesktop.DBus",
        path: "/org/freedesktop/DBus",
        interface: "org.freedesktop.DBus",
      };
      send({ type: "call", ...daemon, member: "Hello" });
      send({ type: "call", ...daemon, member: "RequestName", signature: "su", body: [name, 0] });
    }
    for (
      let length = dbusMessageLength(arrived);
      length !== undefined && arrived.length >= length;
      length = dbusMessageLength(arrived)
    ) {
      const message = decodeDbusMessage(arrived.subarray(0, length));
      arrived = arrived.subarray(length);
      const { sender, serial: replySerial } = message;
      if (message.type === "call")
        answer(
          message,
          (signature, ...body) => send({ type: "return", replySerial, destination: sender, signature, body }),
          service,
        );
      if (message.member === "NameAcquired" && message.body?.[0] === name) ready.resolve();
    }
  });
  const service: BusService = {
    address,
    folder,
    send,
    async [Symbol.asyncDispose]() {
      socket.destroy();
      bus.kill("SIGKILL");
      await once(bus, "exit");
      await rm(folder, { recursive: true, force: true });
    },
  };
  socket.write(`\0AUTH EXTERNAL ${Buffer.from(String(process.getuid?.())).toString("hex")}\r\n`);
  await ready.promise;
  return service;
}
