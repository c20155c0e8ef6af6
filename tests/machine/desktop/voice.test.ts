import { chmod, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { until } from "../../support/until.ts";
import { startNode, type StartedNode } from "../start-node.ts";
import { loudnessOf, readFilm } from "./look-at-media.ts";
import { type NodeClient, openClient } from "./open-client.ts";
import { programsWith } from "./programs-with.ts";
import { hasPackages } from "./require-programs.ts";
import { type SoundServer, startSound } from "./start-sound.ts";

const has = await hasPackages("espeak-ng", "pulseaudio", "pulseaudio-utils", "ffmpeg");

describe.skipIf(!has)("with a loudspeaker and a microphone", { timeout: 60_000 }, () => {
  let sound: SoundServer;
  let node: StartedNode;
  let agent: NodeClient;
  const files = (): Promise<string[]> => readdir(node.home.file("machine", "media")).catch(() => []);

  const playing = (): readonly string[] =>
    programsWith(node.home.file("machine", "media")).filter((name) => name === "paplay");

  beforeAll(async () => {
    sound = await startSound();
    const engine = join(sound.env["HOME"] ?? "", "engine");
    // Says how loud the file is, so that a test sees that it was given what the microphone heard.
    await writeFile(
      engine,
      '#!/bin/sh\nprintf "language %s, %s" "$2" "$(ffmpeg -i "$1" -af volumedetect -f null - 2>&1 | grep -o "max_volume: .*")"\n',
    );
    await chmod(engine, 0o755);
    node = await startNode({
      env: sound.env,
      machine: {
        consent: { stt: "always", camera: "always" },
        stt: { command: [engine, "{file}", "{language}"] },
        camera: { testDevices: [{ id: "test:pattern", source: "testsrc2=size=320x240:rate=25" }] },
      },
    });
    agent = await openClient(node);
  });
  afterAll(async () => {
    await agent?.[Symbol.asyncDispose]();
    await node?.[Symbol.asyncDispose]();
    await sound?.[Symbol.asyncDispose]();
  });

  test("a text is heard", async () => {
    const heard = node.home.file("heard.wav");
    await sound.listen(heard, async () => {
      const { structured } = await agent.call("tts.speak", {
        text: "Hello from the node; -v is not an option.",
        rate: 300,
      });
      expect(structured).toMatchObject({ spoken: true, provider: "espeak-ng", contentType: "audio/wav" });
      expect(structured["durationMs"]).toBeGreaterThan(500);
    });
    expect(await loudnessOf(heard)).toBeGreaterThan(-30);
    expect(await files()).toEqual([]);
  });

  test("silence is not taken for sound", async () => {
    const heard = node.home.file("silence.wav");
    await sound.listen(heard, async () => {
      await agent.call("tts.status");
    });
    expect(await loudnessOf(heard)).toBeLessThan(-80);
  });

  test("a text goes to a file, as a link", async () => {
    const { structured, link } = await agent.call("tts.speak", { text: "Guten Tag", voiceId: "de", output: "file" });
    expect(structured).toMatchObject({ spoken: false, path: expect.stringMatching(/\.wav$/) as string });
    expect(await loudnessOf(String(structured["path"]))).toBeGreaterThan(-30);
    expect((await agent.client.readResource({ uri: link })).contents).toMatchObject([{ mimeType: "audio/wav" }]);
    const { text } = await agent.call("stt.transcribe", { path: structured["path"], language: "de" });
    expect(text).toMatch(/^language de, max_volume: -?\d/);
    expect((await agent.call("stt.transcribe", { path: "/etc/passwd" })).text).toMatch(/^INVALID_REQUEST: /);
  });

  test("a text interrupts another, and can be cancelled", async () => {
    const long = { text: "one two three four five ".repeat(100) };
    const first = agent.call("tts.speak", long);
    await until(() => playing().length === 1, "the first text");
    expect((await agent.call("tts.speak", { text: "Stop.", interrupt: true })).structured).toMatchObject({
      spoken: true,
    });
    expect((await first).text).toMatch(/^CANCELLED: Another text interrupted/);
    const cancel = new AbortController();
    const steps: number[] = [];
    const cancelled = agent.call("tts.speak", long, { signal: cancel.signal, onProgress: (step) => steps.push(step) });
    await until(() => steps.includes(1), "progress");
    cancel.abort();
    await expect(cancelled).rejects.toThrow(/abort/i);
    await until(() => playing().length === 0, "the end of the text");
  });

  test("what can speak and understand is shown", async () => {
    expect((await agent.call("tts.status")).structured).toMatchObject({
      effectiveProvider: "espeak-ng",
      audioDevice: true,
      providers: [{ provider: "espeak-ng", readiness: "ready", isReady: true }],
    });
    expect((await agent.call("stt.status")).structured).toEqual({ engine: "engine", readiness: "ready" });
    const refused = await agent.call("tts.speak", { text: "x", provider: "elevenlabs" });
    expect(refused.text).toMatch(/^TTS_UNAVAILABLE: /);
  });

  test("what the microphone hears becomes text", async () => {
    const enough = new AbortController();
    const text = "one two three four five six seven eight nine ten ".repeat(20);
    const speaking = agent.call("tts.speak", { text }, { signal: enough.signal });
    await until(() => playing().length === 1, "the voice");
    const { structured } = await agent.call("stt.transcribe", { maxDurationMs: 1500, language: "en" });
    expect(structured).toMatchObject({
      transcribed: true,
      language: "en",
      engineEffective: "engine",
      durationMs: 1500,
    });
    expect(Number(/max_volume: (-?[\d.]+)/.exec(String(structured["text"]))?.[1])).toBeGreaterThan(-40);
    enough.abort();
    await expect(speaking).rejects.toThrow(/abort/i);
    expect((await files()).filter((name) => name.startsWith("microphone"))).toEqual([]);
  });

  test("a clip of the camera has the sound of the microphone", async () => {
    const { structured } = await agent.call("camera.clip", { durationMs: 1000 });
    expect(structured).toMatchObject({ format: "mp4", hasAudio: true });
    expect(await readFilm(String(structured["path"]))).toMatchObject({ frames: 25, codecs: ["h264", "aac"] });
  });
});

test.skipIf(!has)("an engine that fails does not show its arguments", async () => {
  const script = "console.error(process.argv); process.exit(3)";
  const command = [process.execPath, "-e", script, "{file}", "--api-key", "very-secret"];
  await using node = await startNode({ machine: { consent: { stt: "always" }, stt: { command } }, level: "debug" });
  await using agent = await openClient(node);
  const { structured } = await agent.call("tts.speak", { text: "Hello", output: "file" });
  const { text } = await agent.call("stt.transcribe", { path: structured["path"] });
  expect(text).toMatch(/^STT_ENGINE_UNAVAILABLE: node failed\./);
  expect(node.logged.join("")).not.toContain("very-secret");
});

test.skipIf(!has)("without a sound device nothing is spoken, but files can be made", async () => {
  await using node = await startNode({ machine: { consent: { stt: "always" }, stt: { command: ["cat", "{file}"] } } });
  await using agent = await openClient(node);
  expect((await agent.call("tts.speak", { text: "Hello" })).text).toMatch(
    /^TTS_UNAVAILABLE: .*no sound device.*`output: file`/,
  );
  expect((await agent.call("tts.speak", { text: "Hello", output: "file" })).isError).toBe(false);
  expect((await agent.call("stt.transcribe")).text).toMatch(/^MIC_UNAVAILABLE: .*no sound device/);
});
