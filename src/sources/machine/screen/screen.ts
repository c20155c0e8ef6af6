import type { Availability } from "../capability.ts";
import type { VideoFormat, PictureFormat } from "../desktop/ffmpeg.ts";

/** One monitor. Places and sizes are in pixels of the desktop. */
export interface Monitor {
  readonly index: number;
  readonly name: string;
  readonly primary: boolean;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly scale?: number;
}

/** What a picture shows: one monitor, one window, or the whole desktop if neither is given. */
export interface PictureTarget {
  readonly monitor?: Monitor | undefined;
  /** The id of a window, as `DesktopWindows` lists it. */
  readonly window?: string | undefined;
  readonly withPointer: boolean;
}

export interface FilmTarget {
  readonly monitor: Monitor;
  /** ffmpeg's input for the sound, if the film has any. */
  readonly sound?: readonly string[] | undefined;
  readonly path: string;
}

/** The screen of this computer, through the programs that its kind of desktop has for that. */
export interface Screen {
  /** Whether it knows neither monitors nor windows. */
  readonly seesWholeOnly?: boolean;
  probeList(): Promise<Availability>;
  probePicture(): Promise<Availability>;
  probeFilm(): Promise<Availability>;
  monitors(signal: AbortSignal): Promise<readonly Monitor[]>;
  /** PNG or JPEG. */
  takePicture(target: PictureTarget, format: PictureFormat, signal: AbortSignal): Promise<Buffer>;
  /** Writes the film to a file. Returns how many pictures a second it has. */
  film(target: FilmTarget, format: VideoFormat, signal: AbortSignal): Promise<number>;
}
