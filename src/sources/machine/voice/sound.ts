import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { MachineConfig } from "../../../core/config/machine-config.ts";
import { type Availability, available } from "../capability.ts";
import type { DesktopTools } from "../desktop/desktop-tools.ts";

/** The sound of this computer: what plays and what records. */
export interface Sound {
  probeOutput(): Promise<Availability>;
  probeMicrophone(): Promise<Availability>;
  /** Plays a WAV file to its end. */
  play(path: string, options: { readonly timeoutMs: number; readonly signal: AbortSignal }): Promise<void>;
  /** ffmpeg's input for the microphone. */
  microphoneInput(): Promise<readonly string[]>;
}

type SoundServer = "pulse" | "pipewire" | "alsa";

const players = {
  pulse: { program: "paplay", package: "pulseaudio-utils" },
  pipewire: { program: "pw-play", package: "pipewire-bin" },
  alsa: { program: "aplay", package: "alsa-utils" },
} as const;

const playScript = "(New-Object System.Media.SoundPlayer $env:CLAWPORT_SOUND).PlaySync()";

const noSound: Availability = {
  ok: false,
  reason: "there is no sound device",
  fix: "start the node in your desktop session, with PulseAudio, PipeWire or ALSA",
};

/** `settings.microphone` names the device as the sound server does; `default` unless the user has configured another. */
export function createSound(tools: DesktopTools, settings: Pick<MachineConfig, "microphone">): Sound {
  const { env, platform } = tools;
  const runtime = env["XDG_RUNTIME_DIR"] ?? "";

  async function findServer(): Promise<SoundServer | undefined> {
    const sockets = [`${env["PULSE_RUNTIME_PATH"] ?? `${runtime}/pulse`}/native`, `${runtime}/pulse/native`];
    if (env["PULSE_SERVER"] || sockets.some((path) => existsSync(path))) return "pulse";
    if (existsSync(`${env["PIPEWIRE_RUNTIME_DIR"] ?? runtime}/${env["PIPEWIRE_REMOTE"] ?? "pipewire-0"}`))
      return "pipewire";
    const cards = await readFile("/proc/asound/cards", "utf8").catch(() => "");
    return /^\s*\d/m.test(cards) ? "alsa" : undefined;
  }

  return {
    async probeOutput() {
      if (platform !== "linux") return available;
      const server = await findServer();
      if (server === undefined) return noSound;
      const { program, package: name } = players[server];
      return tools.need({ [program]: name });
    },
    async probeMicrophone() {
      if (platform === "linux" && (await findServer()) === undefined) return noSound;
      if (platform === "win32" && settings.microphone === "default")
        return { ok: false, reason: "no microphone is configured", fix: "set `machine.microphone` to its name" };
      return tools.need({ ffmpeg: "ffmpeg" });
    },
    async play(path, options) {
      if (platform === "darwin") await tools.run(["afplay", path], options);
      else if (platform === "win32") {
        const words = ["-NoProfile", "-NonInteractive", "-Command", playScript];
        await tools.run(["powershell.exe", ...words], { ...options, env: { CLAWPORT_SOUND: path } });
      } else await tools.run([players[(await findServer()) ?? "alsa"].program, path], options);
    },
    async microphoneInput() {
      const { microphone } = settings;
      if (platform === "darwin") return ["-f", "avfoundation", "-i", `:${microphone}`];
      if (platform === "win32") return ["-f", "dshow", "-i", `audio=${microphone}`];
      // PipeWire is reached through its ALSA plug-in.
      return ["-f", (await findServer()) === "pulse" ? "pulse" : "alsa", "-i", microphone];
    },
  };
}
