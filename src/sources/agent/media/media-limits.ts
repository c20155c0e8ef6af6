import { megabyte } from "../../../core/text/size-text.ts";

export type MediaKind = "image" | "file";

export interface MediaRules {
  /** The tool's argument that holds them. */
  readonly list: "images" | "files";
  readonly maxItems: number;
  readonly maxBytes: number;
  readonly mimeTypes: readonly string[];
}

export const mediaRules: Readonly<Record<MediaKind, MediaRules>> = {
  image: {
    list: "images",
    maxItems: 10,
    maxBytes: 15 * megabyte,
    mimeTypes: ["image/jpeg", "image/png", "image/gif", "image/webp"],
  },
  file: {
    list: "files",
    maxItems: 5,
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

/** More than can be said in 15 MB of audio. */
export const maxTranscriptBytes = megabyte;

/** For one item, and for all items and texts of an answer. */
export interface AnswerLimits {
  readonly itemBytes: number;
  readonly totalBytes: number;
}

export const answerLimits: AnswerLimits = { itemBytes: 20 * megabyte, totalBytes: 50 * megabyte };

/** Larger media are neither fetched nor saved. */
export const maxSavedBytes = 256 * megabyte;
