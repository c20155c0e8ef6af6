import { readdir, readFile } from "node:fs/promises";
import type { MachineConfig } from "../../../core/config/machine-config.ts";
import { visibleText } from "../../../core/text/peer-text.ts";
import { type Availability, available } from "../capability.ts";
import type { DesktopTools } from "../desktop/desktop-tools.ts";

export interface CameraDevice {
  readonly id: string;
  readonly name: string;
  readonly position: "external" | "unknown";
  readonly deviceType: "v4l2" | "test";
  readonly isDefault: boolean;
}

/** A picture that ffmpeg makes itself, as a camera for trying things out. */
export interface TestDevice {
  readonly id: string;
  /** ffmpeg's description of it: `testsrc2=size=1280x720:rate=30`. */
  readonly source: string;
}

export interface Camera {
  probeList(): Promise<Availability>;
  probe(): Promise<Availability>;
  list(): Promise<readonly CameraDevice[]>;
  /** ffmpeg's input for a device of the list; undefined if there is no such device. */
  inputOf(id: string | undefined): Promise<readonly string[] | undefined>;
}

const linuxOnly = { ok: false, reason: "cameras can be used on Linux only" } as const;

/** Cameras of Linux (Video4Linux), and those that the user has configured for tests. */
export function createCamera(tools: DesktopTools, settings: Pick<MachineConfig, "camera">): Camera {
  const testDevices = (): readonly TestDevice[] => settings.camera.testDevices;

  async function list(): Promise<readonly CameraDevice[]> {
    const real = tools.platform === "linux" ? await listVideoDevices() : [];
    const tests = testDevices().map(({ id }) => ({
      id,
      name: `Test picture ${id.slice("test:".length)}`,
      position: "unknown" as const,
      deviceType: "test" as const,
    }));
    return [...real, ...tests].map((device, index) => ({ ...device, isDefault: index === 0 }));
  }

  return {
    probeList: () => Promise.resolve(tools.platform === "linux" || testDevices().length > 0 ? available : linuxOnly),
    async probe() {
      if ((await list()).length > 0) return tools.need({ ffmpeg: "ffmpeg" });
      if (tools.platform !== "linux") return linuxOnly;
      return { ok: false, reason: "no camera was found", fix: "connect one" };
    },
    list,
    async inputOf(id) {
      const devices = await list();
      const found = id === undefined ? devices[0] : devices.find((device) => device.id === id);
      if (found === undefined) return undefined;
      const test = testDevices().find((device) => device.id === found.id);
      // At the speed of a real camera.
      return test === undefined ? ["-f", "v4l2", "-i", found.id] : ["-re", "-f", "lavfi", "-i", test.source];
    },
  };
}

const classFolder = "/sys/class/video4linux";

/** A camera has several devices; the first of them gives the pictures. */
async function listVideoDevices() {
  const names = (await readdir(classFolder).catch(() => [])).filter((name) => /^video\d+$/.test(name));
  const read = async (name: string, file: string): Promise<string> =>
    (await readFile(`${classFolder}/${name}/${file}`, "utf8").catch(() => "")).trim();
  const found = await Promise.all(
    names
      .toSorted((a, b) => Number(a.slice(5)) - Number(b.slice(5)))
      .map(async (name) => {
        if ((await read(name, "index")) !== "0") return [];
        const title = visibleText(await read(name, "name"), 100) || name;
        return [{ id: `/dev/${name}`, name: title, position: "unknown" as const, deviceType: "v4l2" as const }];
      }),
  );
  return found.flat();
}
