import { open } from "node:fs/promises";
import type { Availability } from "../capability.ts";
import { available } from "../capability.ts";
import type { DesktopTools } from "../desktop/desktop-tools.ts";

export interface Utterance {
  readonly text: string;
  readonly voice?: string | undefined;
  /** Words a minute. */
  readonly rate?: number | undefined;
}

/** Turns text into sound, with what the system has for it. */
export interface Speech {
  /** `espeak-ng`, `say` or `windows`. */
  readonly provider: string;
  probe(): Promise<Availability>;
  /** Writes a WAV file. */
  synthesize(utterance: Utterance, path: string, signal: AbortSignal): Promise<void>;
}

const timeoutMs = 60_000;

export function createSpeech(tools: DesktopTools): Speech {
  if (tools.platform === "darwin") return macSpeech(tools);
  if (tools.platform === "win32") return windowsSpeech(tools);
  return {
    provider: "espeak-ng",
    probe: () => tools.need({ "espeak-ng": "espeak-ng" }),
    async synthesize({ text, voice, rate }, path, signal) {
      const words = [
        ...(voice === undefined ? [] : ["-v", voice]),
        ...(rate === undefined ? [] : ["-s", String(rate)]),
      ];
      await tools.run(["espeak-ng", "-w", path, ...words, "--stdin"], { signal, timeoutMs, input: text });
    },
  };
}

/** Not tested. */
function macSpeech(tools: DesktopTools): Speech {
  return {
    provider: "say",
    probe: () => Promise.resolve(available),
    async synthesize({ text, voice, rate }, path, signal) {
      const words = [
        ...(voice === undefined ? [] : ["-v", voice]),
        ...(rate === undefined ? [] : ["-r", String(rate)]),
      ];
      const output = ["--file-format=WAVE", "--data-format=LEI16@22050", "-o", path, "-f", "-"];
      await tools.run(["say", ...words, ...output], { signal, timeoutMs, input: text });
    },
  };
}

const speakScript = `
Add-Type -AssemblyName System.Speech
[Console]::InputEncoding = [Text.Encoding]::UTF8
$voice = New-Object System.Speech.Synthesis.SpeechSynthesizer
if ($env:CLAWPORT_VOICE) { $voice.SelectVoice($env:CLAWPORT_VOICE) }
$voice.Rate = [int]$env:CLAWPORT_RATE
$voice.SetOutputToWaveFile($env:CLAWPORT_SOUND)
$voice.Speak([Console]::In.ReadToEnd())
$voice.Dispose()
`;

/** Not tested. Its rates go from -10 to 10; 0 is about 180 words a minute. */
function windowsSpeech(tools: DesktopTools): Speech {
  return {
    provider: "windows",
    probe: () => Promise.resolve(available),
    async synthesize({ text, voice = "", rate = 180 }, path, signal) {
      const scaled = Math.max(-10, Math.min(10, Math.round((rate - 180) / 20)));
      const env = { CLAWPORT_VOICE: voice, CLAWPORT_RATE: String(scaled), CLAWPORT_SOUND: path };
      const words = ["-NoProfile", "-NonInteractive", "-Command", speakScript];
      await tools.run(["powershell.exe", ...words], { signal, timeoutMs, input: text, env });
    },
  };
}

/** How long a WAV file plays; 0 if its header can't be read. */
export async function soundLengthMs(path: string): Promise<number> {
  await using file = await open(path);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(44), 0, 44, 0);
  if (bytesRead < 44 || buffer.toString("latin1", 8, 12) !== "WAVE") return 0;
  const bytesPerSecond = buffer.readUInt32LE(28);
  const { size } = await file.stat();
  return bytesPerSecond === 0 ? 0 : Math.round(((size - 44) / bytesPerSecond) * 1000);
}
