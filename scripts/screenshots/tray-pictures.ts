import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Presence } from "../../src/hub/control/queries/presence.ts";
import { openStatusNotifier } from "../../src/hub/tray/status-notifier.ts";
import { type TrayState, trayStates } from "../../src/hub/tray/tray-state.ts";
import { openDbus } from "../../src/sources/machine/dbus/connection.ts";
import { startDesktop } from "../../tests/machine/start-desktop.ts";
import { startPanel } from "../../tests/machine/tray/start-panel.ts";
import { until } from "../../tests/support/until.ts";

/** Makes the pictures of the tray in docs/images: each state, with its menu, in a real panel. */
const folder = process.env["CLAWPORT_IMAGES"] ?? join("docs", "images");

const quiet: Presence = {
  revision: "1",
  host: "hub",
  address: "http://127.0.0.1:8765",
  waiting: [],
  running: 0,
  recordings: [],
  recent: [{ tool: "files__read_text_file", caller: "claude-code", outcome: "ok", at: "2026-01-01T11:58:00" }],
  troubles: [],
  tools: true,
  gateway: false,
};
const question = { id: "7", tool: "files__write_file", own: "write_file", source: "files", callerKey: "k" };
const recording = {
  id: "1",
  what: "screen",
  tool: "screen.record",
  since: "2026-01-01T12:00:00",
  seconds: 10,
  caller: "phone",
  notice: "shown",
} as const;

const hubs: Readonly<Record<TrayState, Presence | undefined>> = {
  stopped: undefined,
  listening: quiet,
  paused: { ...quiet, paused: { until: "2026-01-01T12:15:00" } },
  working: { ...quiet, running: 2 },
  asks: { ...quiet, waiting: [{ ...question, caller: "claude-code" }] },
  recording: { ...quiet, recordings: [recording] },
  trouble: { ...quiet, troubles: ["calendar needs you to sign in"] },
};

await using desktop = await startDesktop({ size: "560x380", windowManager: true });
await using panel = await startPanel(desktop, "xfce4-panel");
const bus = await openDbus(desktop.env["DBUS_SESSION_BUS_ADDRESS"]!);
const icon = await openStatusNotifier(bus, { onClick() {}, onOpen() {}, onActivate() {} });
await until(() => panel.hasIcon(), "the icon");
for (const state of trayStates) {
  icon.show({ hub: hubs[state], ownsNode: false, startsWithSession: true });
  await sleep(1500);
  await desktop.run("xdotool", "mousemove", "16", "16", "click", "3");
  await sleep(1500);
  const file = `tray-${state}.png`;
  const screen = [
    "-f",
    "x11grab",
    "-draw_mouse",
    "0",
    "-video_size",
    "560x380",
    "-i",
    desktop.env["DISPLAY"]!,
    "-frames:v",
    "1",
  ];
  await desktop.run("ffmpeg", "-loglevel", "error", "-y", ...screen, join(folder, file));
  await desktop.run("xdotool", "key", "Escape");
  await sleep(500);
  console.log(file);
}
bus.close();
