import { startBusService } from "./bus-service.ts";

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
  const set = new Map<string, unknown>();
  const service = await startBusService(name, ({ member, body = [] }, reply, { send }) => {
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
  });
  return {
    env: { DBUS_SYSTEM_BUS_ADDRESS: service.address },
    set,
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}
