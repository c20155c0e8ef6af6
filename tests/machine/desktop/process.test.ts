import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { clawport, makePlace, type Place, type Running, startReady } from "../../support/cli/run-clawport.ts";
import { until } from "../../support/until.ts";
import { startDesktop } from "../start-desktop.ts";
import { startNode } from "../start-node.ts";
import { openClient } from "./open-client.ts";
import { programsWith } from "./programs-with.ts";
import { hasPackages, x11Packages } from "./require-programs.ts";
import { startSound } from "./start-sound.ts";

type NodeProcess = Running<{ readonly url: string; readonly tokenPath: string; readonly pid: number }>;

const has = await hasPackages(...x11Packages, "espeak-ng", "pulseaudio", "pulseaudio-utils");

async function placeWith(env: Readonly<Record<string, string>>, machine: object): Promise<Place> {
  const place = await makePlace();
  await mkdir(place.home, { recursive: true, mode: 0o700 });
  await writeFile(join(place.home, "clawport.json5"), JSON.stringify({ machine }));
  return { ...place, env: { ...env, ...place.env } };
}

test.skipIf(!has)(
  "what records is in the status, and nothing is left of it after kill -9",
  { timeout: 60_000 },
  async () => {
    await using desktop = await startDesktop({ windowManager: true });
    await using sound = await startSound();
    const camera = { testDevices: [{ id: "test:slow", source: "testsrc2=size=160x120:rate=5" }] };
    const env = { ...desktop.env, ...sound.env, XDG_RUNTIME_DIR: desktop.env["XDG_RUNTIME_DIR"] ?? "" };
    await using place = await placeWith(env, { camera, consent: { screen: "always", camera: "always" } });
    await using node: NodeProcess = await startReady(place, "node", "--json", "--port", "0");
    const token = (await readFile(node.ready.tokenPath, "utf8")).trim();
    await using agent = await openClient({ url: node.ready.url, token });
    const calls = [
      agent.call("screen.record", { durationMs: 300_000, fps: 5 }),
      agent.call("camera.clip", { durationMs: 60_000, includeAudio: false }),
      agent.call("tts.speak", { text: "one two three four five ".repeat(200) }),
    ].map((call) => call.catch((error: unknown) => error));
    const programs = (): readonly string[] => programsWith(join(place.home, "machine", "media")).toSorted();
    await until(() => programs().join() === "ffmpeg,ffmpeg,paplay", "the programs");

    const { out } = await clawport(place, "status", "--json");
    const recording = [
      { what: "screen", caller: "main" },
      { what: "camera", caller: "main" },
    ];
    expect(JSON.parse(out)).toMatchObject({
      hub: {
        recording: expect.arrayContaining(recording.map((one) => expect.objectContaining(one) as object)) as object[],
      },
    });
    const status = await clawport(place, "status");
    expect(status.out).toMatch(/Recording\s+(screen|camera), for .* by main/);
    const ofNode = await clawport(place, "node", "status");
    expect(ofNode.out).toMatch(/Recording (screen|camera), for /);

    process.kill(node.ready.pid, "SIGKILL");
    await until(() => programs().length === 0, "the programs to end");
    await Promise.all(calls);
  },
);

test("a computer without any of it has everything else, and says what would bring the rest", async () => {
  const empty = { PATH: "/nonexistent" };
  await using node = await startNode({ env: empty });
  await using agent = await openClient(node);
  const { tools } = await agent.client.listTools();
  const described = (name: string): string => tools.find((tool) => tool.name === name)?.description ?? "";
  for (const name of ["screen.list", "screen.snapshot", "screen.record", "windows.list", "windows.focus"]) {
    expect(described(name)).toMatch(/^Unavailable: there is no display; start the node in your desktop session\./);
    const args = name === "windows.focus" ? { id: "1" } : {};
    const code = name.startsWith("screen") ? "SCREEN_UNAVAILABLE" : "WINDOWS_UNAVAILABLE";
    expect((await agent.call(name, args)).text).toMatch(new RegExp(`^${code}: .*there is no display`));
  }
  expect(described("tts.speak")).toMatch(/^Unavailable: espeak-ng was not found; install the package `espeak-ng`\./);
  expect((await agent.call("tts.speak", { text: "x" })).text).toMatch(/^TTS_UNAVAILABLE: .*`espeak-ng`/);
  expect(described("stt.transcribe")).toMatch(/^Unavailable: no program .* is configured; set `machine\.stt\.command`/);
  expect((await agent.call("stt.status")).structured).toMatchObject({ engine: null, readiness: "unavailable" });
  expect((await agent.call("tts.status")).structured).toMatchObject({ effectiveProvider: null, audioDevice: false });
  expect((await agent.call("device.info")).isError).toBe(false);

  await using bare = await startNode({ env: { ...empty, DISPLAY: ":55" } });
  await using other = await openClient(bare);
  expect((await other.call("screen.snapshot")).text).toMatch(
    /xrandr and ffmpeg were not found; install the packages `x11-xserver-utils` and `ffmpeg`\./,
  );
});

test.skipIf(!has)("a display that is not there is an error of the call", async () => {
  await using node = await startNode({ env: { DISPLAY: ":5555" }, machine: { consent: { screen: "always" } } });
  await using agent = await openClient(node);
  const { isError, text } = await agent.call("screen.snapshot");
  expect({ isError, text }).toMatchObject({
    isError: true,
    text: expect.stringMatching(/^SCREEN_UNAVAILABLE: xrandr failed/) as string,
  });
});

test("`clawport doctor` says what would bring each ability", async () => {
  await using place = await placeWith({}, {});
  const bare = { ...place, env: { ...place.env, PATH: "/nonexistent" } };
  const { out } = await clawport(bare, "doctor", "--json");
  const { findings } = JSON.parse(out) as { findings: { check: string; level: string; what: string; fix?: string }[] };
  const ours = findings.filter(({ check }) => check === "this computer");
  expect(ours[0]).toMatchObject({ level: "ok", what: expect.stringMatching(/^\d+ of \d+ tools/) as string });
  expect(ours).toContainEqual(
    expect.objectContaining({
      level: "info",
      what: "no tts.speak on this computer: espeak-ng was not found",
      fix: "install the package `espeak-ng`",
    }),
  );
  expect(ours.find(({ what }) => what.includes("screen.snapshot"))).toMatchObject({
    what: expect.stringContaining("there is no display") as string,
    fix: "start the node in your desktop session",
  });
});
