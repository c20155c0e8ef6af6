import { existsSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Fault } from "../../core/fault.ts";
import type { World } from "../../core/process/world.ts";
import { quoted } from "../../core/text/peer-text.ts";

type Place = Pick<World, "env" | "homedir">;

export const trayUnit = "clawport-tray.service";

const configFolder = ({ env, homedir }: Place): string => env["XDG_CONFIG_HOME"] || join(homedir, ".config");
const dataFolder = ({ env, homedir }: Place): string => env["XDG_DATA_HOME"] || join(homedir, ".local", "share");

/** Where desktops look for what they start with a session, for programs, and for their icons. */
export const desktopFiles = {
  autostart: (place: Place) => join(configFolder(place), "autostart", "clawport-tray.desktop"),
  wanted: (place: Place) => join(configFolder(place), "systemd", "user", "graphical-session.target.wants", trayUnit),
  application: (place: Place) => join(dataFolder(place), "applications", "clawport.desktop"),
  icon: (place: Place) => join(dataFolder(place), "icons", "hicolor", "scalable", "apps", "clawport.svg"),
} as const;

/** Whether the tray starts with the user's session, by either way. */
export function startsWithSession(place: Place): boolean {
  return existsSync(desktopFiles.autostart(place)) || existsSync(desktopFiles.wanted(place));
}

/** Off removes both ways. Of two trays in one session, the second one ends itself. */
export async function setStartWithSession(place: Place, program: readonly string[], on: boolean): Promise<void> {
  if (!on) {
    await rm(desktopFiles.wanted(place), { force: true });
    return rm(desktopFiles.autostart(place), { force: true });
  }
  await write(desktopFiles.autostart(place), renderAutostart(program));
}

/** The program in the menu of the desktop, with its icon. */
export async function installApplication(place: Place, program: readonly string[]): Promise<void> {
  await write(desktopFiles.icon(place), icon);
  await write(desktopFiles.application(place), renderApplication(program));
}

export async function removeApplication(place: Place): Promise<void> {
  await setStartWithSession(place, [], false);
  await rm(desktopFiles.icon(place), { force: true });
  await rm(desktopFiles.application(place), { force: true });
}

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

const entry = (exec: string): string => `[Desktop Entry]
Type=Application
Name=Clawport
Comment=One local MCP endpoint for all your servers
Icon=clawport
Exec=${exec}
Terminal=false
`;

function renderAutostart(program: readonly string[]): string {
  return `${entry(execOf([...program, "tray"]))}X-GNOME-Autostart-enabled=true\n`;
}

function renderApplication(program: readonly string[]): string {
  const action = (id: string, name: string, ...words: string[]): string =>
    `\n[Desktop Action ${id}]\nName=${name}\nExec=${execOf([...program, ...words])}\n`;
  return [
    entry(execOf([...program, "tray"])),
    "Categories=Development;Utility;\nActions=Console;Pause;\n",
    action("Console", "Open the console", "console"),
    action("Pause", "Pause until I resume", "pause"),
  ].join("");
}

/** Desktop Entry Specification, "The Exec key": quoted words, in which four characters are escaped, and then the backslash itself. */
export function execOf(words: readonly string[]): string {
  return words
    .map((word) => {
      if (/\p{Cc}/u.test(word))
        throw new Fault("usage", `The path ${quoted(word)} has a character that can't be in a desktop file.`);
      const escaped = word.replaceAll(/["`$\\]/g, String.raw`\$&`).replaceAll("%", "%%");
      return `"${escaped.replaceAll("\\", "\\\\")}"`;
    })
    .join(" ");
}

const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-100 -100 200 200">
<circle r="95" fill="#20242c"/><circle r="71" fill="none" stroke="#fafafa" stroke-width="22"/><circle r="30" fill="#fafafa"/>
</svg>
`;
