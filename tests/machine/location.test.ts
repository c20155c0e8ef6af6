import { describe, expect, test } from "vitest";
import { requireDebianPackage } from "../setup/require-debian-package.ts";
import { startGeoClueService } from "./geoclue-service.ts";
import { startNode } from "./start-node.ts";

const bus = process.platform === "linux" ? await requireDebianPackage("dbus-daemon") : undefined;
const machine = { consent: { location: "always" } };

describe.skipIf(bus === undefined)("location.get over D-Bus", () => {
  test("asks for the accuracy that the caller wants, and returns what the service finds", async () => {
    const unknown = { Altitude: -1.797e308, Speed: -1, Heading: -1 };
    await using service = await startGeoClueService({ Latitude: 52.5, Longitude: 13.4, Accuracy: 25, ...unknown });
    await using node = await startNode({ env: service.env, machine });
    const { structuredContent } = await node.call("location.get", { desiredAccuracy: "precise" });
    expect(structuredContent).toEqual({
      lat: 52.5,
      lon: 13.4,
      accuracyMeters: 25,
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      isPrecise: true,
      source: "unknown",
    });
    expect(service.set.get("RequestedAccuracyLevel")).toBe(8);
    expect(service.set.get("DesktopId")).toBe("clawport");
  });

  test("a known position will do while it is fresh", async () => {
    await using service = await startGeoClueService({ Latitude: 1, Longitude: 2, Accuracy: 500, Altitude: 30 });
    await using node = await startNode({ env: service.env, machine });
    const first = (await node.call("location.get")).structuredContent;
    expect(first).toMatchObject({ altitudeMeters: 30, isPrecise: false });
    service.set.clear();
    expect((await node.call("location.get", { maxAgeMs: 60_000 })).structuredContent).toEqual(first);
    expect(service.set.size).toBe(0);
  });

  test("no position in time, and one that is none, are failures", async () => {
    {
      await using service = await startGeoClueService("none");
      await using node = await startNode({ env: service.env, machine });
      expect(await node.text("location.get", { timeoutMs: 1000 })).toMatch(/^LOCATION_TIMEOUT: /);
    }
    await using service = await startGeoClueService({ Latitude: 400, Longitude: 2, Accuracy: 1 });
    await using node = await startNode({ env: service.env, machine });
    expect(await node.text("location.get")).toMatch(/^LOCATION_UNAVAILABLE: /);
  });
});
