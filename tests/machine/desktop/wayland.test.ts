import { type ChildProcess, spawn } from "node:child_process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { until } from "../../support/until.ts";
import { type StartedNode, startNode } from "../start-node.ts";
import { type Colour, pixelsOf, readFilm } from "./look-at-media.ts";
import { type NodeClient, openClient } from "./open-client.ts";
import { hasPackages } from "./require-programs.ts";
import { startSway, type WaylandDesktop } from "./start-sway.ts";

const hasSway = await hasPackages("sway", "grim", "foot", "wlr-randr", "fonts-dejavu-core", "ffmpeg");
const green: Colour = [0, 255, 0];

interface WindowRow {
  readonly id: string;
  readonly title: string;
  readonly focused: boolean;
  readonly pid: number;
}

describe.skipIf(!hasSway)("on Wayland", { timeout: 60_000 }, () => {
  let desktop: WaylandDesktop;
  let node: StartedNode;
  let agent: NodeClient;
  const programs: ChildProcess[] = [];

  const windows = async (): Promise<readonly WindowRow[]> =>
    (await agent.call("windows.list")).structured["windows"] as readonly WindowRow[];
  const windowOf = async (title: string): Promise<WindowRow | undefined> =>
    (await windows()).find((row) => row.title === title);

  async function open(title: string, colour: string): Promise<void> {
    const args = ["-c", "/dev/null", "-T", title, "-o", `colors.background=${colour}`, "sleep", "600"];
    programs.push(spawn("foot", args, { env: desktop.env, stdio: "ignore" }));
    await until(async () => (await windowOf(title)) !== undefined, `the window ${title}`);
  }

  beforeAll(async () => {
    desktop = await startSway();
    node = await startNode({ env: desktop.env, machine: { consent: { screen: "always", windows: "always" } } });
    agent = await openClient(node);
    await open("Green", "00ff00");
    await open("Red", "ff0000");
  });
  afterAll(async () => {
    await agent?.[Symbol.asyncDispose]();
    await node?.[Symbol.asyncDispose]();
    for (const program of programs) program.kill("SIGKILL");
    await desktop?.[Symbol.asyncDispose]();
  });

  test("the monitor is listed", async () => {
    const { structured } = await agent.call("screen.list");
    expect(structured["screens"]).toMatchObject([
      { index: 0, name: "HEADLESS-1", primary: true, width: 640, height: 480, scale: 1 },
    ]);
  });

  test("windows are listed, and one of them comes to the front", async () => {
    expect(await windowOf("Red")).toMatchObject({ focused: true, pid: programs[1]!.pid });
    const { id = "" } = (await windowOf("Green")) ?? {};
    expect((await agent.call("windows.focus", { id })).structured).toEqual({ focused: true });
    expect(await windowOf("Red")).toMatchObject({ focused: false });
    expect((await agent.call("windows.focus", { id: "999999" })).text).toMatch(/^WINDOW_NOT_FOUND: /);
  });

  test("a picture shows the screen, one window, and is scaled", async () => {
    const whole = await agent.call("screen.snapshot");
    expect(whole.structured).toEqual({ format: "png", width: 640, height: 480, screenIndex: 0 });
    // sway puts the windows side by side.
    const pixels = await pixelsOf(whole.image);
    expect(pixels.at(200, 400)).toEqual(green);
    expect(pixels.at(500, 400)).toEqual([255, 0, 0]);
    const { id } = (await windowOf("Green"))!;
    const one = await agent.call("screen.snapshot", { windowId: id, maxWidth: 100, format: "jpeg", quality: 0.9 });
    expect(one.structured).toMatchObject({ format: "jpeg", width: 100, windowId: id });
    const [r, g, b] = (await pixelsOf(one.image)).at(50, 100);
    expect([r < 40, g > 200, b < 40]).toEqual([true, true, true]);
    expect((await agent.call("screen.snapshot", { allScreens: true })).structured).toMatchObject({ width: 640 });
  });

  test("another compositor of that kind shows its screen, but not its windows", async () => {
    const { SWAYSOCK: _, ...env } = desktop.env;
    await using other = await startNode({ env, machine: { consent: { screen: "always", windows: "always" } } });
    await using client = await openClient(other);
    // wlr-randr sees no mode of an output without a monitor.
    expect((await client.call("screen.snapshot")).text).toMatch(/^SCREEN_UNAVAILABLE: .*`allScreens: true`/);
    expect((await client.call("screen.snapshot", { allScreens: true })).structured).toMatchObject({
      width: 640,
      height: 480,
    });
    expect((await client.call("windows.list")).text).toMatch(/^WINDOWS_UNAVAILABLE: .*does not let programs see/);
    expect((await client.call("screen.snapshot", { windowId: "1" })).text).toMatch(/^WINDOWS_UNAVAILABLE: /);
  });

  test("a film of a still screen has its frames", async () => {
    const { structured } = await agent.call("screen.record", { durationMs: 2000, fps: 10, maxWidth: 320 });
    expect(structured).toMatchObject({ durationMs: 2000, fps: 5 });
    expect(await readFilm(String(structured["path"]))).toMatchObject({ width: 320, frames: 10, codecs: ["h264"] });
  });
});
