import { readdir, readFile, statfs } from "node:fs/promises";
import {
  availableParallelism,
  cpus,
  freemem,
  hostname,
  loadavg,
  networkInterfaces,
  release,
  totalmem,
  uptime,
  version,
} from "node:os";
import { join } from "node:path";
import type { Machine } from "./machine.ts";

const systemNames: Readonly<Record<string, string>> = { linux: "Linux", darwin: "macOS", win32: "Windows" };

/** Name, model and system of this computer. */
export async function readDeviceInfo({ platform, version: appVersion }: Pick<Machine, "platform" | "version">) {
  const model = await readModel(platform);
  return {
    deviceName: hostname(),
    ...(model !== undefined && { modelIdentifier: model }),
    systemName: systemNames[platform] ?? platform,
    systemVersion: await readSystemVersion(platform),
    appVersion,
    locale: Intl.DateTimeFormat().resolvedOptions().locale,
  };
}

async function readModel(platform: string): Promise<string | undefined> {
  if (platform !== "linux") return cpus()[0]?.model.trim();
  return (await readLine("/sys/class/dmi/id/product_name")) ?? cpus()[0]?.model.trim();
}

async function readSystemVersion(platform: string): Promise<string> {
  if (platform !== "linux") return release();
  const text = await readFile("/etc/os-release", "utf8").catch(() => "");
  return /^PRETTY_NAME="?([^"\n]{1,100})"?$/m.exec(text)?.[1] ?? release();
}

export const deviceSections = ["os", "cpu", "memory", "disk", "battery"] as const;
export type DeviceSection = (typeof deviceSections)[number];

/** The state of this computer now. A part that can't be read has an `error` instead. */
export async function readDeviceStatus(
  sections: readonly DeviceSection[],
  { platform, homedir }: Pick<Machine, "platform" | "homedir">,
) {
  const [battery, storage] = await Promise.all([readBattery(), readStorage(homedir)]);
  const thermal = await readThermal();
  const readers: Readonly<Record<DeviceSection, () => unknown>> = {
    os: () => ({ platform, release: release(), version: version() }),
    cpu: () => ({ model: cpus()[0]?.model ?? "unknown", cores: availableParallelism(), loadAverage: loadavg() }),
    memory: () => ({ totalBytes: totalmem(), freeBytes: freemem(), usedBytes: totalmem() - freemem() }),
    disk: () => storage,
    battery: () => battery,
  };
  return {
    collectedAt: new Date().toISOString(),
    ...Object.fromEntries(sections.map((section) => [section, readers[section]()])),
    battery,
    ...(thermal && { thermal }),
    ...("totalBytes" in storage && { storage }),
    network: readNetwork(),
    uptimeSeconds: Math.round(uptime()),
  };
}

async function readStorage(folder: string) {
  try {
    const { blocks, bavail, bsize } = await statfs(folder);
    const [totalBytes, freeBytes] = [blocks * bsize, bavail * bsize];
    return { totalBytes, freeBytes, usedBytes: totalBytes - freeBytes };
  } catch {
    return { error: "the disk of the home folder could not be read" };
  }
}

const supplies = "/sys/class/power_supply";

/** Only Linux tells without another program. */
async function readBattery(): Promise<{ level: number | null; state: string; lowPowerModeEnabled: boolean }> {
  const unknown = { level: null, state: "unknown", lowPowerModeEnabled: false };
  for (const name of await readdir(supplies).catch(() => [])) {
    if ((await readLine(join(supplies, name, "type"))) !== "Battery") continue;
    const [capacity, status] = await Promise.all(
      ["capacity", "status"].map((file) => readLine(join(supplies, name, file))),
    );
    const level = Number(capacity);
    const states: Readonly<Record<string, string>> = { Charging: "charging", Discharging: "unplugged", Full: "full" };
    return {
      ...unknown,
      level: level >= 0 && level <= 100 ? level / 100 : null,
      state: states[status ?? ""] ?? "unknown",
    };
  }
  return unknown;
}

async function readThermal(): Promise<{ readonly state: string } | undefined> {
  const text = await readLine("/sys/class/thermal/thermal_zone0/temp");
  if (text === undefined) return undefined;
  const degrees = Number(text) / 1000;
  if (degrees >= 95) return { state: "critical" };
  if (degrees >= 85) return { state: "serious" };
  return { state: degrees >= 70 ? "fair" : "nominal" };
}

function readNetwork() {
  const names = Object.entries(networkInterfaces())
    .filter(([, addresses]) => addresses?.some(({ internal }) => !internal))
    .map(([name]) => (/^(?:wl|wifi)/i.test(name) ? "wifi" : /^(?:en|eth)/.test(name) ? "wired" : "other"));
  return { status: names.length > 0 ? "satisfied" : "unsatisfied", interfaces: [...new Set(names)] };
}

async function readLine(path: string): Promise<string | undefined> {
  const text = await readFile(path, "utf8").catch(() => "");
  return text.trim().slice(0, 200) || undefined;
}
