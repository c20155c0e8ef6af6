/** Limits are in binary megabytes of the decoded content. */
export const megabyte = 1_048_576;

export type MediaKind = "image" | "file";

export interface MediaRules {
  /** The argument of the tool that holds them. */
  readonly list: "images" | "files";
  readonly atMost: number;
  readonly maxBytes: number;
  readonly mimeTypes: readonly string[];
}

export const mediaRules: Readonly<Record<MediaKind, MediaRules>> = {
  image: {
    list: "images",
    atMost: 10,
    maxBytes: 15 * megabyte,
    mimeTypes: ["image/jpeg", "image/png", "image/gif", "image/webp"],
  },
  file: {
    list: "files",
    atMost: 5,
    maxBytes: 15 * megabyte,
    mimeTypes: [
      "application/pdf",
      "text/plain",
      "text/markdown",
      "text/html",
      "text/csv",
      "application/json",
      "audio/mpeg",
      "audio/wav",
      "audio/ogg",
      "audio/mp4",
      "audio/aac",
      "audio/flac",
      "audio/opus",
      "video/mp4",
      "video/webm",
      "video/quicktime",
      "video/x-msvideo",
      "application/zip",
      "application/gzip",
      "application/x-tar",
      "application/x-compressed-tar",
    ],
  },
};

/** What is taken of a transcript: more than anybody says in 15 MB of audio. */
export const maxTranscriptBytes = 1_048_576;

/** What an answer may carry: one item, and all of it with its text. */
export const answerLimits = { itemBytes: 20 * megabyte, totalBytes: 50 * megabyte };

/** Nothing larger is fetched just to be put elsewhere. */
export const maxSavedBytes = 256 * megabyte;

export interface AnswerLimits {
  readonly itemBytes: number;
  readonly totalBytes: number;
}

/** A size for a person, exact where it matters: one byte over a limit must not read as the limit. */
export function sizeText(bytes: number): string {
  if (bytes < megabyte) return `${bytes} bytes`;
  const whole = bytes / megabyte;
  return Number.isInteger(whole) ? `${whole} MB` : `${whole.toFixed(2)} MB (${bytes} bytes)`;
}
