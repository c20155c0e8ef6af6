import { Fault } from "../../core/fault.ts";
import { withDeadline } from "../../core/wait.ts";
import type { Availability } from "./capability.ts";
import { available } from "./capability.ts";
import { busAddress, type DbusConnection, openDbus } from "./dbus/connection.ts";
import type { Machine } from "./machine.ts";

export interface Fix {
  readonly lat: number;
  readonly lon: number;
  readonly accuracyMeters: number;
  readonly altitudeMeters?: number;
  readonly speedMps?: number;
  readonly headingDeg?: number;
  readonly timestamp: string;
  readonly source: "gps" | "wifi" | "cell" | "static" | "unknown";
}

export type Accuracy = "coarse" | "balanced" | "precise";

const service = "org.freedesktop.GeoClue2";
const manager = { destination: service, path: "/org/freedesktop/GeoClue2/Manager", interface: `${service}.Manager` };
const properties = "org.freedesktop.DBus.Properties";
/** GeoClue's levels: neighbourhood, street, exact. */
const levels: Readonly<Record<Accuracy, number>> = { coarse: 5, balanced: 6, precise: 8 };

/** Whether GeoClue is on the system bus. */
export async function probeGeoClue(env: Machine["env"]): Promise<Availability> {
  const missing = {
    ok: false,
    reason: "no location service answers",
    fix: "set `machine.location.static`, or install the package `geoclue-2.0`",
  } as const;
  const bus = await openDbus(busAddress("system", env)!).catch(() => undefined);
  if (bus === undefined) return missing;
  try {
    await bus.call({
      ...manager,
      interface: properties,
      member: "Get",
      signature: "ss",
      body: [manager.interface, "InUse"],
    });
    return available;
  } catch {
    return missing;
  } finally {
    bus.close();
  }
}

/** Waits for GeoClue's first fix. Faults with `timeout` if there is none in time. */
export async function askGeoClue(
  {
    accuracy,
    timeoutMs,
    signal,
  }: { readonly accuracy: Accuracy; readonly timeoutMs: number; readonly signal: AbortSignal },
  env: Machine["env"],
): Promise<Fix> {
  const bus = await openDbus(busAddress("system", env)!, signal);
  try {
    return await withDeadline(timeoutMs, signal, async () => {
      const [path] = await bus.call({ ...manager, member: "GetClient" });
      const client = { destination: service, path: String(path), interface: `${service}.Client` };
      const set = (name: string, signature: string, value: unknown) =>
        bus.call({
          ...client,
          interface: properties,
          member: "Set",
          signature: "ssv",
          body: [client.interface, name, { signature, value }],
        });
      await set("DesktopId", "s", "clawport");
      await set("RequestedAccuracyLevel", "u", levels[accuracy]);
      const [daemon] = await bus.call({
        destination: "org.freedesktop.DBus",
        path: "/org/freedesktop/DBus",
        interface: "org.freedesktop.DBus",
        member: "GetNameOwner",
        signature: "s",
        body: [service],
      });
      const updated = Promise.withResolvers<string>();
      await bus.listen(`type='signal',interface='${client.interface}',member='LocationUpdated'`, (message) => {
        if (message.sender === daemon && message.path === client.path) updated.resolve(String(message.body?.[1]));
      });
      await bus.call({ ...client, member: "Start" });
      return await readLocation(bus, await updated.promise);
    });
  } finally {
    // GeoClue forgets a client with its connection.
    bus.close();
  }
}

async function readLocation(bus: DbusConnection, path: string): Promise<Fix> {
  const [found] = await bus.call({
    destination: service,
    path,
    interface: properties,
    member: "GetAll",
    signature: "s",
    body: [`${service}.Location`],
  });
  const facts = found instanceof Map ? (found as Map<string, unknown>) : new Map<string, unknown>();
  const [lat, lon, accuracyMeters] = ["Latitude", "Longitude", "Accuracy"].map((name) => Number(facts.get(name))) as [
    number,
    number,
    number,
  ];
  if (!(Math.abs(lat) <= 90) || !(Math.abs(lon) <= 180))
    throw new Fault("unavailable", "The location service sent no position.");
  const [altitude, speed, heading] = ["Altitude", "Speed", "Heading"].map((name) => Number(facts.get(name))) as [
    number,
    number,
    number,
  ];
  return {
    lat,
    lon,
    accuracyMeters,
    // GeoClue says "unknown" with the smallest number, or with -1.
    ...(altitude > -100_000 && { altitudeMeters: altitude }),
    ...(speed >= 0 && { speedMps: speed }),
    ...(heading >= 0 && { headingDeg: heading }),
    timestamp: new Date().toISOString(),
    source: "unknown",
  };
}
