import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { startBusService } from "../bus-service.ts";
import { startNode } from "../start-node.ts";
import { pixelsOf } from "./look-at-media.ts";
import { openClient } from "./open-client.ts";
import { hasPackages } from "./require-programs.ts";

interface PortalAnswer {
  /** 0: done, 1: the user said no, 2: it failed. */
  readonly code: number;
  prepare?(path: string): Promise<void>;
}

/** GNOME and KDE have it; here a test says what it answers. */
async function startPortal({ code, prepare }: PortalAnswer) {
  let path = "";
  const service = await startBusService("org.freedesktop.portal.Desktop", ({ member }, reply, { send }) => {
    if (member === "Get") return reply("v", { signature: "u", value: 2 });
    if (member !== "Screenshot") return reply("");
    reply("o", "/request/1");
    const uri = { signature: "s", value: pathToFileURL(path).href };
    const body = [code, code === 0 ? { uri } : {}];
    const from = { path: "/request/1", interface: "org.freedesktop.portal.Request", member: "Response" };
    send({ type: "signal", ...from, signature: "ua{sv}", body });
  });
  path = join(service.folder, "Screenshot from today.png");
  await prepare?.(path);
  const env = {
    WAYLAND_DISPLAY: "wayland-0",
    XDG_CURRENT_DESKTOP: "ubuntu:GNOME",
    DBUS_SESSION_BUS_ADDRESS: service.address,
  };
  return { env, path: () => path, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() };
}

const machine = { consent: { screen: "always" } };
const draw = async (path: string): Promise<void> => {
  const source = "color=c=0xff8000:size=640x480";
  await promisify(execFile)("ffmpeg", ["-v", "error", "-f", "lavfi", "-i", source, "-frames:v", "1", path]);
};

describe.skipIf(!(await hasPackages("dbus-daemon", "ffmpeg")))(
  "on a desktop with a portal",
  { timeout: 60_000 },
  () => {
    test("a picture comes from the portal, and its file is taken away", async () => {
      await using portal = await startPortal({ code: 0, prepare: draw });
      await using node = await startNode({ env: portal.env, machine });
      await using agent = await openClient(node);
      const { structured, image } = await agent.call("screen.snapshot", { maxWidth: 320 });
      expect(structured).toEqual({ format: "png", width: 320, height: 240 });
      const [red, green, blue] = (await pixelsOf(image)).at(10, 10);
      expect([red > 240, Math.abs(green - 128) < 12, blue < 15]).toEqual([true, true, true]);
      expect(existsSync(portal.path())).toBe(false);
      expect((await agent.call("screen.list")).text).toMatch(/^SCREEN_UNAVAILABLE: .*as a whole/);
      expect((await agent.call("screen.record")).text).toMatch(/^SCREEN_UNAVAILABLE: .*as a whole/);
    });

    test("the user's no is one", async () => {
      await using portal = await startPortal({ code: 1 });
      await using node = await startNode({ env: portal.env, machine });
      expect(await node.text("screen.snapshot")).toBe("CONSENT_DENIED: The user refused the picture.");
    });

    test.each<[string, PortalAnswer]>([
      ["an error", { code: 2 }],
      ["a file that is not there", { code: 0 }],
      ["a link", { code: 0, prepare: (path) => symlink("/etc/passwd", path) }],
      ["a text", { code: 0, prepare: (path) => writeFile(path, "root:x:0:0") }],
    ])("%s is no picture", async (_, answer) => {
      await using portal = await startPortal(answer);
      await using node = await startNode({ env: portal.env, machine });
      expect(await node.text("screen.snapshot")).toBe("SCREEN_UNAVAILABLE: The desktop gave no picture.");
    });

    test("without a portal the reason and its package are named", async () => {
      const env = { WAYLAND_DISPLAY: "wayland-0", XDG_CURRENT_DESKTOP: "KDE" };
      await using node = await startNode({ env, machine });
      expect(await node.text("screen.snapshot")).toMatch(/no desktop portal answers on D-Bus.*`xdg-desktop-portal`/);
    });
  },
);
