import { openLocalControl } from "../../../src/hub/control/local-control.ts";
import { type ChildProcess, spawn } from "node:child_process";
import { readdir, readFile, stat } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { until } from "../../support/until.ts";
import { type Desktop, startDesktop } from "../start-desktop.ts";
import { type StartedNode, startNode } from "../start-node.ts";
import { type Colour, pixelsOf, readFilm } from "./look-at-media.ts";
import { type NodeClient, openClient } from "./open-client.ts";
import { programsWith } from "./programs-with.ts";
import { hasPackages, x11Packages } from "./require-programs.ts";

const red: Colour = [255, 0, 0];
const green: Colour = [0, 255, 0];

interface WindowRow {
  readonly id: string;
  readonly title: string;
  readonly app: string;
  readonly focused: boolean;
  readonly minimized: boolean;
  readonly bounds: { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
}

describe.skipIf(!(await hasPackages(...x11Packages)))("on X11 with a window manager", { timeout: 60_000 }, () => {
  let desktop: Desktop;
  let node: StartedNode;
  let agent: NodeClient;
  const programs: ChildProcess[] = [];

  /** A window in one colour. */
  async function open(title: string, colour: string, geometry: string): Promise<void> {
    const args = ["-bg", colour, "-fg", colour, "-geometry", geometry, "-title", title];
    programs.push(spawn("xlogo", args, { env: desktop.env, stdio: "ignore" }));
    await until(async () => (await desktop.run("wmctrl", "-l")).includes(title), `the window ${title}`);
  }

  const windows = async (): Promise<readonly WindowRow[]> =>
    (await agent.call("windows.list")).structured["windows"] as readonly WindowRow[];
  const windowOf = async (title: string): Promise<WindowRow> => (await windows()).find((row) => row.title === title)!;
  const isRecording = async (): Promise<boolean> =>
    ((await agent.call("app.status")).structured["recording"] as unknown[]).length > 0;

  /** Programs that write a film now. */
  const filming = (): readonly string[] =>
    programsWith(node.home.file("machine", "media")).filter((name) => name === "ffmpeg");

  beforeAll(async () => {
    desktop = await startDesktop({ size: "800x600", windowManager: true });
    await desktop.run("xrandr", "--setmonitor", "left", "400/100x600/150+0+0", "screen");
    await desktop.run("xrandr", "--setmonitor", "right", "400/100x600/150+400+0", "none");
    await desktop.run("xsetroot", "-solid", "#0000ff");
    node = await startNode({
      env: desktop.env,
      machine: { consent: { screen: "always", windows: "always" } },
    });
    agent = await openClient(node);
    await open("Red window", "#ff0000", "160x120+60+300");
    await open("Green window", "#00ff00", "200x100+500+300");
  });
  afterAll(async () => {
    await agent?.[Symbol.asyncDispose]();
    await node?.[Symbol.asyncDispose]();
    for (const program of programs) program.kill("SIGKILL");
    await desktop?.[Symbol.asyncDispose]();
  });

  test("the monitors are listed", async () => {
    const { structured } = await agent.call("screen.list");
    expect(structured["screens"]).toMatchObject([
      { index: 0, name: "left", x: 0, y: 0, width: 400, height: 600 },
      { index: 1, name: "right", x: 400, y: 0, width: 400, height: 600 },
    ]);
  });

  test("the windows are listed, and one of them comes to the front", async () => {
    const { id, bounds, app } = await windowOf("Red window");
    expect(app).toBe("XLogo");
    expect(bounds).toMatchObject({ width: 160, height: 120 });
    expect((await agent.call("windows.focus", { id })).structured).toEqual({ focused: true });
    expect(await desktop.run("xprop", "-root", "_NET_ACTIVE_WINDOW")).toContain(id);
    expect(await windowOf("Red window")).toMatchObject({ focused: true, minimized: false });
    expect(await windowOf("Green window")).toMatchObject({ focused: false });
    expect((await agent.call("windows.focus", { id: "0x1" })).text).toMatch(/^WINDOW_NOT_FOUND: /);
    expect((await agent.call("windows.focus", { id: "0x1; reboot" })).text).toMatch(/^WINDOW_NOT_FOUND: /);
  });

  test("a title can't pass for something else", async () => {
    const title = 'Odd"\n_NET_WM_PID = 1\n  Width: 7';
    await open("Odd", "#00ffff", "50x40+10+500");
    const { id } = await windowOf("Odd");
    await desktop.run("xprop", "-id", id, "-f", "_NET_WM_NAME", "8u", "-set", "_NET_WM_NAME", title);
    const row = (await windows()).find((window) => window.id === id);
    expect(row).toMatchObject({ pid: null, bounds: { width: 50, height: 40 } });
  });

  test("a picture shows what is on each monitor", async () => {
    const { bounds } = await windowOf("Red window");
    const left = await agent.call("screen.snapshot", { format: "png" });
    expect(left.structured).toEqual({ format: "png", width: 400, height: 600, screenIndex: 0 });
    expect(left.text).not.toContain(left.image.slice(0, 40));
    const pixels = await pixelsOf(left.image);
    expect(pixels).toMatchObject({ width: 400, height: 600 });
    expect(pixels.at(bounds.x + 80, bounds.y + 60)).toEqual(red);
    expect(pixels.at(390, 10)).toEqual([0, 0, 255]);

    const { bounds: other } = await windowOf("Green window");
    const right = await pixelsOf((await agent.call("screen.snapshot", { screenIndex: 1 })).image);
    expect(right.at(other.x - 400 + 100, other.y + 50)).toEqual(green);
    const whole = await pixelsOf((await agent.call("screen.snapshot", { allScreens: true })).image);
    expect(whole).toMatchObject({ width: 800, height: 600 });
    expect(whole.at(bounds.x + 80, bounds.y + 60)).toEqual(red);
    expect(whole.at(other.x + 100, other.y + 50)).toEqual(green);
    expect((await agent.call("screen.snapshot", { monitor: 2 })).text).toMatch(/^INVALID_REQUEST: .*0 to 1/);
  });

  test("a picture is scaled down, and can be a JPEG", async () => {
    const answer = await agent.call("screen.snapshot", { allScreens: true, maxWidth: 200, format: "jpg", quality: 90 });
    expect(answer.structured).toEqual({ format: "jpg", width: 200, height: 150 });
    expect(answer.blocks.find(({ type }) => type === "image")).toMatchObject({ mimeType: "image/jpeg" });
    const { bounds } = await windowOf("Green window");
    const pixels = await pixelsOf(answer.image);
    const [r, g, b] = pixels.at(Math.round((bounds.x + 100) / 4), Math.round((bounds.y + 50) / 4));
    expect([r < 40, g > 200, b < 40]).toEqual([true, true, true]);
  });

  test("a picture shows one window, also if it reaches out of the screen", async () => {
    const { id } = await windowOf("Green window");
    const inside = await agent.call("screen.snapshot", { windowId: id });
    expect(inside.structured).toMatchObject({ width: 200, height: 100, windowId: id });
    const pixels = await pixelsOf(inside.image);
    for (const [x, y] of [[1, 1], [198, 98]] as const) expect(pixels.at(x, y)).toEqual(green); // prettier-ignore

    await desktop.run("wmctrl", "-i", "-r", id, "-e", "0,700,300,-1,-1");
    await until(async () => (await windowOf("Green window")).bounds.x >= 700, "the window to move");
    const { bounds } = await windowOf("Green window");
    const cut = await agent.call("screen.snapshot", { windowId: id });
    expect(cut.structured).toMatchObject({ width: 800 - bounds.x, height: 100 });
    expect((await pixelsOf(cut.image)).at(1, 1)).toEqual(green);
    const missing = await agent.call("screen.snapshot", { windowId: "0xdead" });
    expect(missing.text).toMatch(/^WINDOW_NOT_FOUND: /);
  });

  test("the latest pictures are resources, for their caller and the owner only", async () => {
    for (let count = 0; count < 3; count++)
      await Promise.all(Array.from({ length: 4 }, () => agent.call("screen.snapshot", { maxWidth: 16 })));
    const { image } = await agent.call("screen.snapshot", { maxWidth: 20 });
    const { resources } = await agent.client.listResources();
    const pictures = resources.filter(({ uri }) => uri.startsWith("machine://pictures/"));
    expect(pictures).toHaveLength(10);
    const uri = pictures[0]!.uri;
    const { contents } = await agent.client.readResource({ uri });
    expect(contents).toEqual([{ uri, mimeType: "image/png", blob: image }]);

    const control = await openLocalControl(node.node.engine);
    const { token } = await control.tokens.add({ name: "phone" });
    await using other = await openClient({ url: node.url, token });
    await expect(other.client.readResource({ uri })).rejects.toThrow(/no resource/);
    const own = await other.call("screen.snapshot", { maxWidth: 16 });
    const [latest] = (await other.client.listResources()).resources.filter(({ uri: at }) => at.includes("pictures"));
    expect((await other.client.readResource({ uri: latest!.uri })).contents).toMatchObject([{ blob: own.image }]);
    // The owner's token sees all of them.
    expect((await agent.client.readResource({ uri: latest!.uri })).contents).toMatchObject([{ blob: own.image }]);
  });

  test("a film has its frames, and the user sees that it records", async () => {
    const steps: number[] = [];
    const recording = agent.call(
      "screen.record",
      { durationMs: 4000, fps: 10, maxWidth: 301 },
      { onProgress: (step) => steps.push(step) },
    );
    await until(() => desktop.shown().includes("Recording: screen"), "the notification");
    expect(await isRecording()).toBe(true);
    expect((await desktop.run("dunstctl", "count", "displayed")).trim()).toBe("1");
    const { structured, link, text, blocks } = await recording;
    expect(structured).toMatchObject({ format: "mp4", durationMs: 4000, fps: 10, hasAudio: false, screenIndex: 0 });
    const path = String(structured["path"]);
    expect(await readFilm(path)).toMatchObject({ width: 300, frames: 40, codecs: ["h264"] });
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(steps).toContain(1);
    expect(await isRecording()).toBe(false);
    expect((await desktop.run("dunstctl", "count", "displayed")).trim()).toBe("0");
    expect(text).toContain(path);
    expect(blocks).toHaveLength(2);
    const { contents } = await agent.client.readResource({ uri: link });
    expect(contents).toMatchObject([{ mimeType: "video/mp4", blob: (await readFile(path)).toString("base64") }]);
  });

  test("a film can be WebM", async () => {
    const { structured } = await agent.call("screen.record", { durationMs: 500, fps: 10, format: "webm" });
    expect(await readFilm(String(structured["path"]))).toMatchObject({ frames: 5, codecs: ["vp8"] });
  });

  test("the user stops a film by the button, and the caller by cancelling; nothing is left of it", async () => {
    const files = async (): Promise<number> =>
      (await readdir(node.home.file("machine", "media")).catch(() => [])).length;
    const before = await files();
    const shown = (): number => desktop.shown().split("Recording: screen").length;
    const first = shown();
    const stopped = agent.call("screen.record", { durationMs: 60_000 });
    await until(() => shown() > first, "the notification");
    await desktop.press("Stop");
    expect(await stopped).toMatchObject({ isError: true, text: "CONSENT_DENIED: The user stopped the recording." });
    expect(await files()).toBe(before);

    const cancel = new AbortController();
    const cancelled = agent.call("screen.record", { durationMs: 60_000 }, { signal: cancel.signal });
    await until(() => filming().length > 0, "ffmpeg to start");
    cancel.abort();
    await expect(cancelled).rejects.toThrow(/abort/i);
    await until(() => filming().length === 0, "ffmpeg to end");
    await until(async () => (await files()) === before && !(await isRecording()), "the file to be gone");
  });

  test("eight slow captures don't delay a ping", async () => {
    const cancel = new AbortController();
    const { signal } = cancel;
    let ended = 0;
    const slow = Array.from({ length: 8 }, () =>
      agent.call("screen.record", { durationMs: 60_000, fps: 1, maxWidth: 100 }, { signal }).finally(() => ended++),
    );
    await until(() => filming().length === 8, "eight captures", 30_000);
    for (let count = 0; count < 20; count++) expect(await agent.client.ping()).toEqual({});
    expect(ended).toBe(0);
    cancel.abort();
    for (const outcome of await Promise.allSettled(slow)) expect(outcome.status).toBe("rejected");
    await until(() => filming().length === 0, "the end of all");
  });

  test("the screen, its films and its windows need the user's consent", async () => {
    await using careful = await startNode({ env: desktop.env, attended: true });
    await using other = await openClient(careful);
    const tools = [
      ["screen.snapshot", {}],
      ["screen.record", {}],
      ["windows.list", {}],
      ["windows.focus", { id: "0x1" }],
    ] as const;
    for (const [name, args] of tools) {
      careful.answer("no");
      expect((await other.call(name, args)).text).toContain("the answer was no");
    }
    expect(careful.questions.map(({ tool }) => tool)).toEqual(tools.map(([name]) => name));
  });
});
