import type { MachineConfig } from "../../../core/config/machine-config.ts";
import { isFault } from "../../../core/fault.ts";
import type { Log } from "../../../core/log.ts";
import { createCamera } from "../camera/camera.ts";
import { cameraClip } from "../capabilities/desktop/camera-clip.ts";
import { cameraList } from "../capabilities/desktop/camera-list.ts";
import { cameraSnap } from "../capabilities/desktop/camera-snap.ts";
import { screenList } from "../capabilities/desktop/screen-list.ts";
import { screenRecord } from "../capabilities/desktop/screen-record.ts";
import { screenSnapshot } from "../capabilities/desktop/screen-snapshot.ts";
import { sttStatus } from "../capabilities/desktop/stt-status.ts";
import { sttTranscribe } from "../capabilities/desktop/stt-transcribe.ts";
import { ttsSpeak } from "../capabilities/desktop/tts-speak.ts";
import { ttsStatus } from "../capabilities/desktop/tts-status.ts";
import { windowsFocus } from "../capabilities/desktop/windows-focus.ts";
import { windowsList } from "../capabilities/desktop/windows-list.ts";
import { type Capability, CapabilityFault, unavailableReason } from "../capability.ts";
import type { Machine } from "../machine.ts";
import type { Notifications } from "../notifications.ts";
import { createDesktopWindows, createScreen } from "../screen/choose-screen.ts";
import { createSound } from "../voice/sound.ts";
import { createSpeech } from "../voice/speech.ts";
import { createDesktopTools } from "./desktop-tools.ts";
import { createMediaStore, type MediaStore } from "./media-store.ts";
import { createRecordings, type Recordings, type RecordingsOptions } from "./recordings.ts";

/** The eyes, ears and voice of this computer. */
export interface Desktop {
  readonly capabilities: readonly Capability[];
  readonly store: MediaStore;
  readonly recordings: Recordings;
}

export interface DesktopOptions extends Pick<Machine, "env" | "platform"> {
  /** Read at each call. */
  readonly settings: Pick<MachineConfig, "camera" | "stt" | "microphone">;
  /** `machine` in the state folder. */
  readonly folder: string;
  readonly notifications: Notifications;
  readonly log: Log;
  readonly onRecording?: RecordingsOptions["onChange"];
}

export function openDesktop(options: DesktopOptions): Desktop {
  const { env, platform, settings, folder, notifications, log } = options;
  const tools = createDesktopTools({ env, platform });
  const store = createMediaStore({ folder: `${folder}/media`, log });
  const recordings = createRecordings({ notifications, log, onChange: options.onRecording });
  const screen = createScreen(tools);
  const windows = createDesktopWindows(tools);
  const camera = createCamera(tools, settings);
  const sound = createSound(tools, settings);
  const speech = createSpeech(tools);
  const film = { store, recordings, sound };
  const stt = { ...film, settings, tools };
  return {
    store,
    recordings,
    capabilities: [
      screenList(screen),
      screenSnapshot({ screen, windows, store }),
      screenRecord({ ...film, screen }),
      cameraList(camera),
      cameraSnap({ camera, tools, store }),
      cameraClip({ ...film, camera, tools }),
      ttsSpeak({ speech, sound, store }),
      ttsStatus(speech, sound),
      sttTranscribe(stt),
      sttStatus(stt),
      windowsList(windows),
      windowsFocus(windows),
    ].map(withReason),
  };
}

/** A program that fails is told as OpenClaw's nodes tell it: `SCREEN_UNAVAILABLE: …`. */
function withReason(capability: Capability): Capability {
  return {
    ...capability,
    async run(args, context) {
      try {
        return await capability.run(args, context);
      } catch (error) {
        if (!isFault(error, "unavailable") || error instanceof CapabilityFault) throw error;
        throw new CapabilityFault(unavailableReason(capability.name), error.message, { cause: error });
      }
    },
  };
}
