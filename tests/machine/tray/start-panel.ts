import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { menuOf, type TrayItem } from "../../../src/hub/tray/tray-menu.ts";
import type { TrayFacts } from "../../../src/hub/tray/tray-state.ts";
import { until } from "../../support/until.ts";
import type { Desktop } from "../start-desktop.ts";

/** A real panel that shows tray icons. */
export interface Panel extends AsyncDisposable {
  readonly name: PanelName;
  /** Opens the menu of the only icon and chooses an entry by the beginnings of its labels, with mouse and keys, until that has its effect. */
  choose(
    read: () => Promise<TrayFacts>,
    labels: readonly string[],
    effect: () => boolean | Promise<boolean>,
  ): Promise<void>;
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
    async choose(read, labels, effect) {
      for (let attempt = 0; attempt < maxAttempts; attempt++) {
        const facts = await untilShown(desktop, read);
        await openMenu(desktop);
        await pressKeys(desktop, menuOf(facts), labels);
        if (await isWithin(effect, effectMs)) return;
        // A menu that is drawn anew meanwhile forgets what was chosen: as a person does, once more.
        for (let level = 0; level < 3; level++) await desktop.run("xdotool", "key", "Escape");
        if (await effect()) return;
      }
      throw new Error(`${labels.join(" > ")} had no effect`);
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

const maxAttempts = 6;
const effectMs = 10_000;

const isWithin = (condition: () => boolean | Promise<boolean>, ms: number): Promise<boolean> =>
  until(condition, "", ms).then(
    () => true,
    () => false,
  );

function labelsOf(items: readonly TrayItem[]): readonly string[] {
  return items.flatMap((item) => {
    if (item.kind === "separator") return [];
    return [item.label, ...(item.kind === "menu" ? labelsOf(item.items) : [])];
  });
}

/** What the hub says, once the tray shows the same: a menu that changes while it is open can't be used. */
async function untilShown(desktop: Desktop, read: () => Promise<TrayFacts>): Promise<TrayFacts> {
  const ask = ["--session", "--print-reply", "--dest=io.github.clawport.Tray", "/MenuBar"];
  const get = ["com.canonical.dbusmenu.GetLayout", "int32:0", "int32:-1", "array:string:label"];
  let facts = await read();
  await until(async () => {
    facts = await read();
    const layout = await desktop.run("dbus-send", ...ask, ...get).catch(() => "");
    return labelsOf(menuOf(facts)).every((label) => layout.includes(`"${label.replaceAll("_", "__")}"`));
  }, "the menu of the tray");
  return facts;
}

/** As a person does: one who sees no menu clicks again. What an earlier click left open, or a tool tip, is gone before. */
async function openMenu(desktop: Desktop): Promise<void> {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    await desktop.run("xdotool", "key", "Escape");
    await desktop.run("xdotool", "mousemove", "400", "400");
    const before = await untilSteady(() => menuCount(desktop));
    await desktop.run("xdotool", "mousemove", ...icon);
    await desktop.run("xdotool", "click", "3");
    if (await isWithin(async () => (await menuCount(desktop)) > before, 10_000)) return;
  }
  throw new Error("the menu did not open");
}

/** What was counted three times in a row: windows that are on their way come or go meanwhile. */
async function untilSteady(count: () => Promise<number>): Promise<number> {
  const counts: number[] = [];
  await until(async () => {
    counts.push(await count());
    return counts.length > 2 && new Set(counts.slice(-3)).size === 1;
  }, "the windows of the panel");
  return counts.at(-1)!;
}

async function pressKeys(desktop: Desktop, items: readonly TrayItem[], labels: readonly string[]): Promise<void> {
  let list = items;
  for (const [level, label] of labels.entries()) {
    if (level > 0) {
      const open = await menuCount(desktop);
      await desktop.run("xdotool", "key", "Right");
      if (!(await isWithin(async () => (await menuCount(desktop)) > open, 10_000))) return;
    }
    const choices = list.filter((item) => item.kind === "action" || item.kind === "menu");
    const index = choices.findIndex((choice) => choice.label.startsWith(label));
    // It may have had its effect by now.
    if (index < 0) return;
    // A submenu opens with its first entry chosen.
    for (let step = level === 0 ? -1 : 0; step < index; step++) await desktop.run("xdotool", "key", "Down");
    const chosen = choices[index]!;
    list = chosen.kind === "menu" ? chosen.items : [];
  }
  await desktop.run("xdotool", "key", "Return");
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
