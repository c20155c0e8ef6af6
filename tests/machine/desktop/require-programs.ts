import { requireDebianPackages } from "../../setup/require-debian-package.ts";

/** Debian packages by name, each with a program of it. */
const packages = {
  xvfb: "/usr/bin/Xvfb",
  openbox: "/usr/bin/openbox",
  "x11-utils": "/usr/bin/xprop",
  "x11-xserver-utils": "/usr/bin/xrandr",
  "x11-apps": "/usr/bin/xlogo",
  wmctrl: "/usr/bin/wmctrl",
  dunst: "/usr/bin/dunst",
  "dbus-daemon": "/usr/bin/dbus-daemon",
  "dbus-bin": "/usr/bin/dbus-send",
  ffmpeg: "/usr/bin/ffmpeg",
  sway: "/usr/bin/sway",
  grim: "/usr/bin/grim",
  foot: "/usr/bin/foot",
  "wlr-randr": "/usr/bin/wlr-randr",
  "fonts-dejavu-core": "/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf",
  "espeak-ng": "/usr/bin/espeak-ng",
  pulseaudio: "/usr/bin/pulseaudio",
  "pulseaudio-utils": "/usr/bin/paplay",
} as const;

export const x11Packages = [
  "xvfb",
  "openbox",
  "x11-utils",
  "x11-xserver-utils",
  "x11-apps",
  "wmctrl",
  "dunst",
  "dbus-daemon",
  "dbus-bin",
  "ffmpeg",
] as const satisfies readonly (keyof typeof packages)[];

/** Whether these packages are there, after an attempt to install them. Their tests run on Linux only. */
export async function hasPackages(...names: readonly (keyof typeof packages)[]): Promise<boolean> {
  if (process.platform !== "linux") return false;
  return requireDebianPackages(Object.fromEntries(names.map((name) => [name, packages[name]])));
}
