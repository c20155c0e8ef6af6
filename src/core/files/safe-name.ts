/** Of the types that an order may carry. */
const orderExtensions: Readonly<Record<string, string>> = {
  "image/jpeg": "jpg",
  "image/png": "png",
  "image/gif": "gif",
  "image/webp": "webp",
  "application/pdf": "pdf",
  "text/plain": "txt",
  "text/markdown": "md",
  "text/html": "html",
  "text/csv": "csv",
  "application/json": "json",
  "audio/mpeg": "mp3",
  "audio/wav": "wav",
  "audio/ogg": "ogg",
  "audio/mp4": "m4a",
  "audio/aac": "aac",
  "audio/flac": "flac",
  "audio/opus": "opus",
  "video/mp4": "mp4",
  "video/webm": "webm",
  "video/quicktime": "mov",
  "video/x-msvideo": "avi",
  "application/zip": "zip",
  "application/gzip": "gz",
  "application/x-tar": "tar",
  "application/x-compressed-tar": "tar.gz",
};

/** Of other types that tools answer with. */
const extraExtensions: Readonly<Record<string, string>> = {
  "image/svg+xml": "svg",
  "audio/mp3": "mp3",
  "audio/x-wav": "wav",
};

const allExtensions: ReadonlyMap<string, string> = new Map(Object.entries({ ...orderExtensions, ...extraExtensions }));

/** File systems take 255, and a number may be added. */
const maxNameBytes = 200;

export function extensionOf(mimeType: string, otherwise = "bin"): string {
  const [plain = ""] = mimeType.split(";", 1);
  return allExtensions.get(plain.trim().toLowerCase()) ?? otherwise;
}

/** The type that the extension of a file name stands for, if an order may carry it. */
export function mimeTypeOf(name: string): string | undefined {
  const lower = name
    .toLowerCase()
    .replace(/\.jpeg$/, ".jpg")
    .replace(/\.htm$/, ".html")
    .replace(/\.tgz$/, ".tar.gz");
  const fitting = Object.entries(orderExtensions).filter(([, extension]) => lower.endsWith(`.${extension}`));
  return fitting.toSorted(([, a], [, b]) => b.length - a.length)[0]?.[0];
}

/**
 * A name that is a single part of a path on every system, whatever was sent: no folders, no hidden files, no names that
 * Windows reserves for devices, nothing that reorders or hides what a person sees.
 */
export function safeName(given: string | undefined, fallback: string): string {
  const last = (given ?? "").normalize("NFC").split(/[/\\]/).at(-1) ?? "";
  const clean = last
    .replace(/[\p{C}\u2028\u2029]/gu, "")
    .replace(/[<>:"|?*%]/g, "_")
    .replace(/^[.\s]+|[.\s]+$/g, "");
  if (clean === "") return fallback;
  const short = shorten(clean);
  return /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i.test(short) ? `_${short}` : short;
}

/** The name, with a number if it is taken. Names that differ only in case are the same: on some disks they are. */
export function uniqueName(name: string, taken: Set<string>): string {
  let unique = name;
  for (let number = 2; taken.has(unique.toLowerCase()); number++) unique = numberedName(name, number);
  taken.add(unique.toLowerCase());
  return unique;
}

/** `a.tar.gz` with 2 is `a-2.tar.gz`. */
export function numberedName(name: string, number: number): string {
  const { stem, ending } = splitExtension(name);
  return `${stem}-${number}${ending}`;
}

function shorten(name: string): string {
  if (Buffer.byteLength(name) <= maxNameBytes) return name;
  const { stem, ending } = splitExtension(name);
  // A character cut in two becomes U+FFFD at the end.
  const cut = Buffer.from(stem)
    .subarray(0, maxNameBytes - ending.length)
    .toString();
  return `${cut.replace(/\uFFFD$/, "")}${ending}`;
}

function splitExtension(name: string): { readonly stem: string; readonly ending: string } {
  const ending = /(?:\.tar)?\.[A-Za-z0-9]{1,10}$/.exec(name)?.[0] ?? "";
  return { stem: name.slice(0, name.length - ending.length), ending };
}
