/** What a declared type and the first bytes can be compared by. `media` holds sound, pictures in motion, or both. */
export type MediaFamily = "image" | "document" | "text" | "media" | "archive";

/** How many of the first bytes are looked at: the mark of a tar archive stands last, at 257. */
export const sampleBytes = 512;

export function declaredFamily(mimeType: string): MediaFamily {
  const [major] = mimeType.split("/");
  if (major === "image") return "image";
  if (major === "audio" || major === "video") return "media";
  if (mimeType === "application/pdf") return "document";
  if (major === "text" || mimeType === "application/json") return "text";
  return "archive";
}

interface Mark {
  readonly family: MediaFamily;
  readonly at: number;
  readonly text: string;
  readonly name: string;
}

const mark = (family: MediaFamily, name: string, text: string, at = 0): Mark => ({ family, at, text, name });

const marks: readonly Mark[] = [
  mark("image", "PNG", "\x89PNG\r\n\x1A\n"),
  mark("image", "JPEG", "\xFF\xD8\xFF"),
  mark("image", "GIF", "GIF87a"),
  mark("image", "GIF", "GIF89a"),
  mark("image", "WebP", "WEBP", 8),
  mark("image", "HEIC", "ftypheic", 4),
  mark("image", "AVIF", "ftypavif", 4),
  mark("document", "PDF", "%PDF-"),
  mark("media", "WAV", "WAVE", 8),
  mark("media", "AVI", "AVI ", 8),
  mark("media", "Ogg", "OggS"),
  mark("media", "FLAC", "fLaC"),
  mark("media", "MP3", "ID3"),
  mark("media", "WebM", "\x1A\x45\xDF\xA3"),
  mark("media", "MP4", "ftyp", 4),
  mark("archive", "ZIP", "PK\x03\x04"),
  mark("archive", "ZIP", "PK\x05\x06"),
  mark("archive", "gzip", "\x1F\x8B\x08"),
  mark("archive", "tar", "ustar", 257),
];

export interface SniffedFamily {
  readonly family: MediaFamily;
  readonly name: string;
}

/** What the first bytes prove; nothing where they prove nothing. */
export function sniffFamily(sample: Buffer): SniffedFamily | undefined {
  const text = sample.toString("latin1");
  const found = marks.find(({ at, text: bytes }) => text.startsWith(bytes, at));
  if (!found || (found.at === 8 && !text.startsWith("RIFF"))) return undefined;
  // "GIF89a is an old format" is a text about one.
  return looksLikeText(sample) ? undefined : { family: found.family, name: found.name };
}

function looksLikeText(sample: Buffer): boolean {
  return sample.every((byte) => byte >= 32 || byte === 9 || byte === 10 || byte === 13) && isUtf8Start(sample);
}

function isUtf8Start(sample: Buffer): boolean {
  // The sample may end inside a character: `stream` forgives that, and only that.
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(sample, { stream: true });
    return true;
  } catch {
    return false;
  }
}
