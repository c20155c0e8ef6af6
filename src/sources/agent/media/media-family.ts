/** Kinds of content, to compare a declared type with the first bytes. `media` is audio, video, or both. */
export type MediaFamily = "image" | "document" | "text" | "media" | "archive";

/** How many of the first bytes are checked: the last signature is that of tar, at 257. */
export const sampleBytes = 512;

export function declaredFamily(mimeType: string): MediaFamily {
  const [major] = mimeType.split("/");
  if (major === "image") return "image";
  if (major === "audio" || major === "video") return "media";
  if (mimeType === "application/pdf") return "document";
  if (major === "text" || mimeType === "application/json") return "text";
  return "archive";
}

interface Signature {
  readonly family: MediaFamily;
  readonly at: number;
  readonly text: string;
  readonly name: string;
}

const signature = (family: MediaFamily, name: string, text: string, at = 0): Signature => ({ family, at, text, name });

const signatures: readonly Signature[] = [
  signature("image", "PNG", "\x89PNG\r\n\x1A\n"),
  signature("image", "JPEG", "\xFF\xD8\xFF"),
  signature("image", "GIF", "GIF87a"),
  signature("image", "GIF", "GIF89a"),
  signature("image", "WebP", "WEBP", 8),
  signature("image", "HEIC", "ftypheic", 4),
  signature("image", "AVIF", "ftypavif", 4),
  signature("document", "PDF", "%PDF-"),
  signature("media", "WAV", "WAVE", 8),
  signature("media", "AVI", "AVI ", 8),
  signature("media", "Ogg", "OggS"),
  signature("media", "FLAC", "fLaC"),
  signature("media", "MP3", "ID3"),
  signature("media", "WebM", "\x1A\x45\xDF\xA3"),
  signature("media", "MP4", "ftyp", 4),
  signature("archive", "ZIP", "PK\x03\x04"),
  signature("archive", "ZIP", "PK\x05\x06"),
  signature("archive", "gzip", "\x1F\x8B\x08"),
  signature("archive", "tar", "ustar", 257),
];

export interface SniffedFamily {
  readonly family: MediaFamily;
  readonly name: string;
}

/** The kind of content that the first bytes prove; undefined if they prove none. */
export function sniffFamily(sample: Buffer): SniffedFamily | undefined {
  const text = sample.toString("latin1");
  const found = signatures.find(({ at, text: bytes }) => text.startsWith(bytes, at));
  if (!found || (found.at === 8 && !text.startsWith("RIFF"))) return undefined;
  // A text may begin with "GIF89a".
  return looksLikeText(sample) ? undefined : { family: found.family, name: found.name };
}

function looksLikeText(sample: Buffer): boolean {
  return sample.every((byte) => byte >= 32 || byte === 9 || byte === 10 || byte === 13) && isUtf8Start(sample);
}

function isUtf8Start(sample: Buffer): boolean {
  // The sample may end inside a character: `stream` allows that.
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(sample, { stream: true });
    return true;
  } catch {
    return false;
  }
}
