import type { DebianPackage } from "../../setup/debian-packages.ts";
import { requireDebianPackages } from "../../setup/require-debian-package.ts";

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
] as const satisfies readonly DebianPackage[];

/** Whether these packages are there, after an attempt to install them. Their tests run on Linux only. */
export async function hasPackages(...names: readonly DebianPackage[]): Promise<boolean> {
  if (process.platform !== "linux") return false;
  return requireDebianPackages(names);
}
