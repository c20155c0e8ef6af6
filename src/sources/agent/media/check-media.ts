import { Fault } from "../../../core/fault.ts";
import { extensionOf, safeName, uniqueName } from "../../../core/files/safe-name.ts";
import { quoted } from "../../../core/peer-text.ts";
import { type Base64Text, decodedBytes, judgeBase64 } from "./base64-text.ts";
import { declaredFamily, sniffFamily } from "./media-family.ts";
import { type MediaKind, type MediaRules, mediaRules, sizeText } from "./media-limits.ts";

/** Something that came with an order, checked. Its content is read when it is sent on, and not before. */
export interface Attachment {
  readonly kind: MediaKind;
  /** Safe as a file name, and different from those of the order's other attachments. */
  readonly name: string;
  readonly mimeType: string;
  /** Decoded. */
  readonly bytes: number;
  base64(): Promise<string>;
}

/** One entry of `images` or `files`, as it came. */
export interface MediaArgument {
  readonly data: Base64Text;
  readonly mimeType: string;
  readonly filename?: string | undefined;
}

export type MediaArguments = Readonly<Record<MediaKind, readonly MediaArgument[]>>;

/** All that is wrong is said in one fault, before anything is sent: a person should not have to find out item by item. */
export async function checkMedia(given: MediaArguments): Promise<readonly Attachment[]> {
  const violations: string[] = [];
  const attachments: Attachment[] = [];
  const taken = new Set<string>();
  for (const kind of ["image", "file"] as const) {
    const rules = mediaRules[kind];
    const items = given[kind];
    if (items.length > rules.atMost) {
      violations.push(`${rules.list}: at most ${rules.atMost} are taken, and there are ${items.length}`);
      continue;
    }
    for (const [index, item] of items.entries()) {
      const judged = await judgeItem(item, kind, rules);
      const fallback = `${kind}-${index + 1}.${extensionOf(judged.mimeType)}`;
      const name = uniqueName(safeName(item.filename, fallback), taken);
      for (const problem of judged.problems)
        violations.push(`${rules.list}[${index}] (${JSON.stringify(name)}): ${problem}`);
      attachments.push({
        kind,
        name,
        mimeType: judged.mimeType,
        bytes: judged.bytes,
        base64: () => item.data.text(),
      });
    }
  }
  if (violations.length > 0) {
    throw new Fault("bad-params", `Nothing was sent to OpenClaw. ${violations.join("; ")}.`, {
      detail: { violations },
    });
  }
  return attachments;
}

interface JudgedItem {
  readonly mimeType: string;
  readonly bytes: number;
  readonly problems: readonly string[];
}

async function judgeItem(
  { data, mimeType: declared }: MediaArgument,
  kind: MediaKind,
  rules: MediaRules,
): Promise<JudgedItem> {
  const mimeType = declared.split(";")[0]!.trim().toLowerCase();
  const isKnown = rules.mimeTypes.includes(mimeType);
  const problems = isKnown ? [] : [unknownType(declared, mimeType, kind, rules)];
  if (data.length === 0) return { mimeType, bytes: 0, problems: [...problems, "data is empty"] };
  const bytes = decodedBytes(data);
  // What is over the limit need not be read.
  if (bytes > rules.maxBytes) return { mimeType, bytes, problems: [...problems, tooLarge(rules, bytes)] };
  const verdict = await judgeBase64(data);
  if (!verdict.pass) return { mimeType, bytes, problems: [...problems, `data is not base64: ${verdict.reason}`] };
  const proven = sniffFamily(verdict.sample);
  if (isKnown && proven && proven.family !== declaredFamily(mimeType))
    problems.push(`declared as ${mimeType}, but its first bytes are those of ${proven.name}`);
  return { mimeType, bytes, problems };
}

function tooLarge({ maxBytes }: MediaRules, bytes: number): string {
  return `at most ${sizeText(maxBytes)} are taken, and it has ${sizeText(bytes)}`;
}

function unknownType(declared: string, mimeType: string, kind: MediaKind, { mimeTypes }: MediaRules): string {
  const other: MediaKind = kind === "image" ? "file" : "image";
  const shown = quoted(declared, 100);
  if (mediaRules[other].mimeTypes.includes(mimeType)) return `${shown} belongs in "${mediaRules[other].list}"`;
  return `the type ${shown} is not taken, only ${mimeTypes.join(", ")}`;
}
