import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openHome } from "../../../src/core/files/home.ts";
import { openLocalControl } from "../../../src/hub/control/local-control.ts";
import { createRemoteControl } from "../../../src/hub/control/remote-control.ts";
import { findHubOrNode } from "../../../src/hub/state/find-hub.ts";
import { hubFiles } from "../../../src/hub/state/hub-files.ts";
import type { TrayFacts } from "../../../src/hub/tray/tray-state.ts";
import { until } from "../../support/until.ts";
import { hasPackages } from "../desktop/require-programs.ts";
import { startDesktop } from "../start-desktop.ts";
import { startNode, type StartedNode } from "../start-node.ts";
import { type PanelName, panels, startPanel, toolTip } from "./start-panel.ts";
import { startTray } from "./start-tray.ts";

const basic = ["xvfb", "openbox", "x11-utils", "xdotool", "dunst", "dbus-daemon", "dbus-bin", "ffmpeg"] as const;
const hasDesktop = await hasPackages(...basic);
const hasPanel = {
  "xfce4-panel": hasDesktop && (await hasPackages(...panels["xfce4-panel"].packages)),
  "lxqt-panel": hasDesktop && (await hasPackages(...panels["lxqt-panel"].packages)),
};

const machine = {
  consent: { "device.info": "ask", "camera.clip": "always" },
  camera: { testDevices: [{ id: "test:pattern", source: "testsrc2=size=320x240:rate=5" }] },
};

async function openTestHome() {
  const home = await openHome(await mkdtemp(join(tmpdir(), "tray-")));
  return { home, [Symbol.asyncDispose]: () => rm(home.path, { recursive: true, force: true }) };
}

async function factsOf({ node }: StartedNode): Promise<TrayFacts> {
  const { presence } = await openLocalControl(node.engine);
  return { hub: await presence.read(), ownsNode: false, startsWithSession: false };
}

describe.each(Object.keys(panels) as PanelName[])("in %s", (name) => {
  test.skipIf(!hasPanel[name])(
    "a person pauses, denies, opens, stops a recording and quits with the menu",
    { timeout: 240_000 },
    async () => {
      await using desktop = await startDesktop({ size: "800x600", windowManager: true });
      await using panel = await startPanel(desktop, name);
      await using node = await startNode({ env: desktop.env, machine });
      await using tray = await startTray(desktop, node.home.path);
      const choose = (labels: readonly string[], effect: () => boolean | Promise<boolean>): Promise<void> =>
        panel.choose(() => factsOf(node), labels, effect);
      const isWaiting = async (): Promise<boolean> =>
        (await node.node.engine.approvals.list()).waiting.some(({ openUntil }) => openUntil !== undefined);
      await until(() => panel.hasIcon(), "the icon");

      const isPaused = (): boolean => node.node.engine.pause.state() !== undefined;
      await choose(["Pause", "Until I resume"], isPaused);
      expect(await node.text("system.which", { bins: ["sh"] })).toMatch(/^The user has paused Clawport/);
      // Resuming gives callers more, and any program can click a menu: the person is asked once more.
      await choose(["Resume"], () => desktop.shown().includes("Resume?"));
      await desktop.press("Yes");
      await until(() => !isPaused(), "the end of the pause");

      const denied = node.text("device.info");
      await until(() => desktop.shown().includes("Allow device.info?"), "the question", 40_000);
      await choose(["device.info", "Deny"], async () => !(await isWaiting()));
      expect(await denied).toContain("the answer was no");

      const allowed = node.text("device.info");
      await until(isWaiting, "the second question");
      await choose(["device.info", "Open"], async () => (await tray.opened()).length === 1);
      expect((await tray.opened())[0]).toMatch(
        /^http:\/\/127\.0\.0\.1:\d+\/console\/login\/[\w-]{43}#[\w-]{43}\.approvals\/\d+$/,
      );
      await desktop.press("Allow once");
      expect(await allowed).toContain("deviceName");

      const recorded = node.text("camera.clip", { deviceId: "test:pattern", durationMs: 60_000, includeAudio: false });
      const isRecording = (): boolean => node.node.engine.machine?.recordings.list().length === 1;
      await until(isRecording, "the recording");
      await choose(["Stop recording: camera, camera.clip for main"], () => !isRecording());
      expect(await recorded).toBe("CONSENT_DENIED: The user stopped the recording.");
      const audit = (): Promise<string> => readFile(hubFiles.audit(node.home), "utf8").catch(() => "");
      await until(async () => (await audit()).includes("recording.ended"), "the audit");
      expect(await audit()).toMatch(/recording\.began.*camera\.clip: camera/);

      await choose(["Quit the tray"], () => tray.process.exitCode !== null);
      expect(await tray.ended()).toBe(0);
      expect(await panel.hasIcon()).toBe(false);
      expect(await node.text("system.which", { bins: ["sh"] })).toContain("/sh");
    },
  );
});

test.skipIf(!hasPanel["xfce4-panel"])(
  "a node shows its own icon, another session only the icon; quitting ends what was started",
  { timeout: 240_000 },
  async () => {
    await using desktop = await startDesktop({ size: "800x600", windowManager: true });
    await using panel = await startPanel(desktop, "xfce4-panel");
    await using place = await openTestHome();
    const { home } = place;
    await using node = await startTray(desktop, home.path, "node", "--port", "0");
    await until(() => panel.hasIcon(), "the icon", 30_000);
    const read = async () => {
      const control = createRemoteControl((await findHubOrNode(home))!);
      const hub = await control.presence.read().finally(() => control.close());
      return { hub, ownsNode: true, startsWithSession: false };
    };
    await using session = await startDesktop();
    await using second = await startTray(session, home.path, "node", "--tray");
    await until(async () => (await toolTip(session)).includes("Listening"), "the tray of the second session", 30_000);
    second.process.kill("SIGTERM");
    expect(await second.ended()).toBe(0);
    await panel.choose(read, ["Quit Clawport"], () => node.process.exitCode !== null);
    expect(await node.ended()).toBe(0);
    expect(await findHubOrNode(home)).toBeUndefined();
  },
);

test.skipIf(!hasDesktop)(
  "without a panel it says which extension brings one, and asks by notifications",
  { timeout: 240_000 },
  async () => {
    await using desktop = await startDesktop();
    await using node = await startNode({ env: desktop.env, machine });
    await using tray = await startTray(desktop, node.home.path);
    await until(() => tray.printed().includes("AppIndicator and KStatusNotifierItem Support"), "the words", 40_000);
    const allowed = node.text("device.info");
    await until(() => desktop.shown().includes("Allow device.info?"), "the question", 40_000);
    await desktop.withoutDaemon(() => Promise.resolve());
    await until(() => desktop.shown().split("Allow device.info?").length === 3, "the question again", 50_000);
    await desktop.press("Allow once");
    expect(await allowed).toContain("deviceName");
    expect(tray.printed().split("AppIndicator").length).toBe(2);
  },
);

test.skipIf(!hasDesktop)(
  "a second tray of a session ends itself, as one without panel and notifications does",
  async () => {
    await using desktop = await startDesktop();
    await using node = await startNode({ env: desktop.env, machine });
    await using first = await startTray(desktop, node.home.path);
    await until(() => first.printed().includes("AppIndicator"), "the first tray");
    await using second = await startTray(desktop, node.home.path);
    expect(await second.ended()).not.toBe(0);
    expect(second.printed()).toContain("This session already has a Clawport tray.");
    first.process.kill("SIGTERM");
    expect(await first.ended()).toBe(0);
    await desktop.withoutDaemon(async () => {
      await using third = await startTray(desktop, node.home.path);
      expect(await third.ended()).toBe(69);
      expect(third.printed()).toContain("No notification daemon answers, either.");
    });
  },
);
