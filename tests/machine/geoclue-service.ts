import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createConnection } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { DbusMessage } from "../../src/sources/machine/dbus/message.ts";
import { dbusMessageLength, decodeDbusMessage, encodeDbusMessage } from "../../src/sources/machine/dbus/message.ts";

/** A bus of its own with a service that has GeoClue's interface: the real one finds no position without hardware. */
export interface GeoClueService extends AsyncDisposable {
  readonly env: Readonly<Record<string, string>>;
  /** What clients have set: `DesktopId`, `RequestedAccuracyLevel`. */
  readonly set: Map<string, unknown>;
}

const name = "org.freedesktop.GeoClue2";

export async function startGeoClueService(
  position: Readonly<Record<string, number>> | "none",
): Promise<GeoClueService> {
  const folder = await mkdtemp(join(tmpdir(), "geoclue-"));
  const bus = spawn(
    "dbus-daemon",
    ["--session", "--nofork", "--nopidfile", `--address=unix:path=${folder}/bus`, "--print-address=1"],
    { stdio: ["ignore", "pipe", "ignore"] },
  );
  const [address] = (await once(createInterface({ input: bus.stdout }), "line")) as [string];
  const socket = createConnection(join(folder, "bus"));
  const set = new Map<string, unknown>();
  let serial = 0;
  let arrived: Buffer = Buffer.alloc(0);
  const send = (message: Omit<DbusMessage, "serial">): void =>
    void socket.write(encodeDbusMessage({ ...message, serial: ++serial }));
  const ready = Promise.withResolvers<void>();

  function answer({ member, sender, serial: replySerial, body = [] }: DbusMessage): void {
    const reply = (signature: string, ...values: unknown[]): void =>
      send({ type: "return", replySerial, destination: sender, signature, body: values });
    if (member === "GetClient") return reply("o", "/client/1");
    if (member === "Get") return reply("v", { signature: "b", value: true });
    if (member === "Set") {
      set.set(String(body[1]), body[2]);
      return reply("");
    }
    if (member === "GetAll") {
      const facts = Object.entries(position).map(([key, value]) => [key, { signature: "d", value }]);
      return reply("a{sv}", Object.fromEntries(facts));
    }
    reply("");
    if (member !== "Start" || position === "none") return;
    const changed = { signature: "oo", body: ["/", "/location/1"] };
    send({ type: "signal", path: "/client/1", interface: `${name}.Client`, member: "LocationUpdated", ...changed });
  }

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
      if (message.type === "call") answer(message);
      if (message.member === "NameAcquired" && message.body?.[0] === name) ready.resolve();
    }
  });
  socket.write(`\0AUTH EXTERNAL ${Buffer.from(String(process.getuid?.())).toString("hex")}\r\n`);
  await ready.promise;
  return {
    env: { DBUS_SYSTEM_BUS_ADDRESS: address },
    set,
    async [Symbol.asyncDispose]() {
      socket.destroy();
      bus.kill("SIGKILL");
      await once(bus, "exit");
      await rm(folder, { recursive: true, force: true });
    },
  };
}
