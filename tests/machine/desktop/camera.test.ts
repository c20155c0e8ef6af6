import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type StartedNode, startNode } from "../start-node.ts";
import { pixelsOf, readFilm } from "./look-at-media.ts";
import { type NodeClient, openClient } from "./open-client.ts";
import { hasPackages } from "./require-programs.ts";

describe.skipIf(!(await hasPackages("ffmpeg")))("with test pictures as cameras", { timeout: 60_000 }, () => {
  let node: StartedNode;
  let agent: NodeClient;

  beforeAll(async () => {
    node = await startNode({
      machine: {
        consent: { camera: "always" },
        camera: {
          testDevices: [
            { id: "test:orange", source: "color=c=0xff8000:size=640x480:rate=25" },
            { id: "test:pattern", source: "testsrc2=size=320x240:rate=25" },
          ],
        },
      },
    });
    agent = await openClient(node);
  });
  afterAll(async () => {
    await agent?.[Symbol.asyncDispose]();
    await node?.[Symbol.asyncDispose]();
  });

  test("they are listed, and named as what they are", async () => {
    expect((await agent.call("camera.list")).structured).toEqual({
      devices: [
        { id: "test:orange", name: "Test picture orange", position: "unknown", deviceType: "test", isDefault: true },
        { id: "test:pattern", name: "Test picture pattern", position: "unknown", deviceType: "test", isDefault: false },
      ],
    });
  });

  test("a photo has the picture's colours and is scaled", async () => {
    const { structured, image } = await agent.call("camera.snap", { maxWidth: 320, format: "png", delayMs: 100 });
    expect(structured).toEqual({ format: "png", width: 320, height: 240 });
    const [r, g, b] = (await pixelsOf(image)).at(100, 100);
    expect([r > 240, Math.abs(g - 128) < 12, b < 15]).toEqual([true, true, true]);
    const jpeg = await agent.call("camera.snap", { deviceId: "test:pattern" });
    expect(jpeg.structured).toEqual({ format: "jpg", width: 320, height: 240 });
    expect(jpeg.blocks.find(({ type }) => type === "image")).toMatchObject({ mimeType: "image/jpeg" });
    for (const deviceId of ["test:none", "/etc/passwd"])
      expect((await agent.call("camera.snap", { deviceId })).text).toMatch(/^INVALID_REQUEST: camera device not found/);
  });

  test("a clip has its frames, and reports progress", async () => {
    const steps: number[] = [];
    const { structured, link } = await agent.call(
      "camera.clip",
      { deviceId: "test:pattern", durationMs: 2000, includeAudio: false },
      { onProgress: (step) => steps.push(step) },
    );
    expect(structured).toMatchObject({ format: "mp4", durationMs: 2000, hasAudio: false });
    expect(await readFilm(String(structured["path"]))).toMatchObject({ width: 320, frames: 50, codecs: ["h264"] });
    expect(steps).toContain(1);
    expect(link).toMatch(/^machine:\/\/recordings\//);
    const loud = await agent.call("camera.clip", { includeAudio: true });
    expect(loud.text).toMatch(/^MIC_UNAVAILABLE: /);
  });

  test("the camera needs the user's consent", async () => {
    await using careful = await startNode({
      attended: true,
      machine: { camera: { testDevices: [{ id: "test:a", source: "testsrc2" }] } },
    });
    await using other = await openClient(careful);
    for (const name of ["camera.snap", "camera.clip"]) {
      careful.answer("no");
      expect((await other.call(name)).text).toContain("the answer was no");
    }
  });
});
