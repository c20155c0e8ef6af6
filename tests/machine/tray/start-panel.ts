import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { menuOf } from "../../../src/hub/tray/tray-menu.ts";
import { statusLine, type TrayFacts } from "../../../src/hub/tray/tray-state.ts";
import { until } from "../../support/until.ts";
import type { Desktop } from "../start-desktop.ts";

/** A real panel that shows tray icons. */
export interface Panel extends AsyncDisposable {
  readonly name: PanelName;
  /** Opens the menu of the only icon and chooses an entry by the beginnings of its labels, with mouse and keys. */
  choose(facts: TrayFacts, ...labels: readonly string[]): Promise<void>;
  /** Ends it without a chance to tidy up, and starts it again. */
  restart(): Promise<void>;
  kill(): Promise<void>;
  start(): Promise<void>;
  /** Whether it shows an icon now, as its own watcher says. */
  hasIcon(): Promise<boolean>;
}

export const panels = {
  "xfce4-panel": { packages: ["xfce4-panel", "xfconf"], start: startXfce },
  "lxqt-panel": { packages: ["lxqt-panel"], start: startLxqt },
} as const;

export type PanelName = keyof typeof panels;

/** Where the first icon is: both panels are a strip of 32 pixels at the top. */
const icon = ["16", "16"];

export async function startPanel(desktop: Desktop, name: PanelName): Promise<Panel> {
  let running: readonly ChildProcess[] = [];
  const start = async (): Promise<void> => {
    running = await panels[name].start(desktop);
    await until(() => hasWatcher(desktop), `the tray of ${name}`, 60_000);
  };
  const kill = async (): Promise<void> => {
    for (const child of running) await end(child);
    running = [];
  };
  await start();
  return {
    name,
    start,
    kill,
    async restart() {
      await kill();
      await start();
    },
    hasIcon: async () => (await watched(desktop, "RegisteredStatusNotifierItems")).includes("/StatusNotifierItem"),
    async choose(facts, ...labels) {
      await until(async () => (await toolTip(desktop)).includes(statusLine(facts)), `${statusLine(facts)} in the tray`);
      const before = await menuCount(desktop);
      await openMenu(desktop, before);
      let list = menuOf(facts);
      for (const [level, label] of labels.entries()) {
        if (level > 0) {
          const open = await menuCount(desktop);
          await desktop.run("xdotool", "key", "Right");
          await until(async () => (await menuCount(desktop)) > open, "the submenu");
        }
        const choices = list.filter((item) => item.kind === "action" || item.kind === "menu");
        const index = choices.findIndex((choice) => choice.label.startsWith(label));
        if (index < 0) throw new Error(`no ${label} in ${choices.map((choice) => choice.label).join(", ")}`);
        // A submenu opens with its first entry chosen.
        for (let step = level === 0 ? -1 : 0; step < index; step++) await desktop.run("xdotool", "key", "Down");
        const chosen = choices[index]!;
        list = chosen.kind === "menu" ? chosen.items : [];
      }
      await desktop.run("xdotool", "key", "Return");
      await until(async () => (await menuCount(desktop)) <= before, "the end of the menu");
    },
    async [Symbol.asyncDispose]() {
      await kill();
    },
  };
}

async function startXfce({ env }: Desktop): Promise<readonly ChildProcess[]> {
  const folder = join(env["HOME"]!, ".config", "xfce4", "xfconf", "xfce-perchannel-xml");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "xfce4-panel.xml"), xfceConfig);
  const daemon = ["/usr/lib/x86_64-linux-gnu/xfce4/xfconf/xfconfd", "/usr/lib/aarch64-linux-gnu/xfce4/xfconf/xfconfd"];
  const configuration = spawn(daemon.find((path) => existsSync(path)) ?? "xfconfd", { env, stdio: "ignore" });
  return [startProcess("xfce4-panel", ["--disable-wm-check"], env), configuration];
}

async function startLxqt({ env }: Desktop): Promise<readonly ChildProcess[]> {
  const folder = join(env["HOME"]!, ".config", "lxqt");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "panel.conf"), lxqtConfig);
  return [startProcess("lxqt-panel", [], env)];
}

/** In a group of its own: a panel has helpers that must end with it. */
function startProcess(program: string, args: readonly string[], env: Desktop["env"]): ChildProcess {
  return spawn(program, args, { env: { ...env, NO_AT_BRIDGE: "1" }, stdio: "ignore", detached: true });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(-child.pid!, "SIGKILL");
  } catch {
    child.kill("SIGKILL");
  }
  await once(child, "exit");
}

const watcher = "org.kde.StatusNotifierWatcher";

async function watched(desktop: Desktop, property: string): Promise<string> {
  const ask = ["--session", "--print-reply", `--dest=${watcher}`, "/StatusNotifierWatcher"];
  const get = ["org.freedesktop.DBus.Properties.Get", `string:${watcher}`, `string:${property}`];
  return desktop.run("dbus-send", ...ask, ...get).catch(() => "");
}

async function hasWatcher(desktop: Desktop): Promise<boolean> {
  return (await watched(desktop, "IsStatusNotifierHostRegistered")).includes("true");
}

/** What the tray tells a panel. */
export async function toolTip(desktop: Desktop): Promise<string> {
  const ask = ["--session", "--print-reply", "--dest=io.github.clawport.Tray", "/StatusNotifierItem"];
  const get = ["org.freedesktop.DBus.Properties.Get", "string:org.kde.StatusNotifierItem", "string:ToolTip"];
  return desktop.run("dbus-send", ...ask, ...get).catch(() => "");
}

/** Windows of the panel that are shown: itself, and its menus. */
async function menuCount(desktop: Desktop): Promise<number> {
  const found = await desktop.run("xdotool", "search", "--onlyvisible", "--class", "panel|wrapper").catch(() => "");
  return found.split("\n").filter(Boolean).length;
}

/** As a person does: one who sees no menu clicks again. */
async function openMenu(desktop: Desktop, before: number): Promise<void> {
  for (let attempt = 0; attempt < 5; attempt++) {
    await desktop.run("xdotool", "mousemove", ...icon);
    await desktop.run("xdotool", "click", "3");
    const isOpen = until(async () => (await menuCount(desktop)) > before, "the menu", 3000);
    if (await isOpen.then(() => true, () => false)) return; // prettier-ignore
  }
  throw new Error("the menu did not open");
}

const xfceConfig = `<?xml version="1.0" encoding="UTF-8"?>
<channel name="xfce4-panel" version="1.0">
  <property name="configver" type="int" value="2"/>
  <property name="panels" type="array">
    <value type="int" value="1"/>
    <property name="panel-1" type="empty">
      <property name="position" type="string" value="p=6;x=0;y=0"/>
      <property name="length" type="uint" value="100"/>
      <property name="position-locked" type="bool" value="true"/>
      <property name="size" type="uint" value="32"/>
      <property name="plugin-ids" type="array"><value type="int" value="1"/></property>
    </property>
  </property>
  <property name="plugins" type="empty">
    <property name="plugin-1" type="string" value="systray">
      <property name="square-icons" type="bool" value="true"/>
    </property>
  </property>
</channel>
`;

const lxqtConfig = `panels=panel1

[panel1]
alignment=-1
desktop=0
hidable=false
iconSize=22
lineCount=1
panelSize=32
plugins=statusnotifier
position=Top
width=100
width-percent=true

[statusnotifier]
alignment=Left
type=statusnotifier
`;
