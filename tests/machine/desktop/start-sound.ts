import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { until } from "../../support/until.ts";

export interface SoundServer extends AsyncDisposable {
  /** What a process needs to find it. */
  readonly env: Readonly<Record<string, string>>;
  /** Records what is played while the work runs, to a WAV file. */
  listen(path: string, work: () => Promise<void>): Promise<void>;
}

/** PulseAudio without a device: what is played can be recorded, and is what the microphone hears. */
export async function startSound(): Promise<SoundServer> {
  const folder = await mkdtemp(join(tmpdir(), "sound-"));
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: folder,
    XDG_RUNTIME_DIR: folder,
    PULSE_SERVER: `unix:${folder}/native`,
  };
  const modules = ["module-null-sink sink_name=speaker", `module-native-protocol-unix socket=${folder}/native`];
  const flags = ["-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no"];
  const server = spawn("pulseaudio", [...flags, ...modules.flatMap((module) => ["-L", module])], {
    env,
    stdio: "ignore",
  });
  const run = promisify(execFile);
  await until(
    () =>
      run("pactl", ["set-default-source", "speaker.monitor"], { env }).then(
        () => true,
        () => false,
      ),
    "PulseAudio",
  );
  return {
    env,
    async listen(path, work) {
      const args = ["-nostdin", "-v", "error", "-f", "pulse", "-i", "speaker.monitor", "-y", path];
      const recorder = spawn("ffmpeg", args, { env, stdio: "ignore" });
      const streams = async (): Promise<string> =>
        (await run("pactl", ["list", "short", "source-outputs"], { env })).stdout;
      await until(async () => (await streams()).trim() !== "", "the recorder");
      await work();
      recorder.kill("SIGINT");
      await once(recorder, "exit");
    },
    async [Symbol.asyncDispose]() {
      server.kill("SIGKILL");
      await once(server, "exit");
      await rm(folder, { recursive: true, force: true });
    },
  };
}
