import { Fault } from "../../../core/fault.ts";
import { extensionOf, safeName, uniqueName } from "../../../core/files/safe-name.ts";
import { quoted } from "../../../core/text/peer-text.ts";
import { sizeText } from "../../../core/text/size-text.ts";
import { type Base64Text, decodedBytes, judgeBase64 } from "./base64-text.ts";
import { declaredFamily, sniffFamily } from "./media-family.ts";
import { type MediaKind, type MediaRules, mediaRules } from "./media-limits.ts";

/** A checked attachment of an order. Its content is read only when it is sent on. */
export interface Attachment {
  readonly kind: MediaKind;
  /** Safe as a file name, and unique in the order. */
  readonly name: string;
  readonly mimeType: string;
  /** Of the decoded content. */
  readonly bytes: number;
  base64(): Promise<string>;
}

/** One entry of `images` or `files`, not yet checked. */
export interface MediaArgument {
  readonly data: Base64Text;
  readonly mimeType: string;
  readonly filename?: string | undefined;
}

export type MediaArguments = Readonly<Record<MediaKind, readonly MediaArgument[]>>;

/** Reports all problems in one fault, so that the caller need not find them one by one. */
export async function checkMedia(given: MediaArguments): Promise<readonly Attachment[]> {
  const violations: string[] = [];
  const attachments: Attachment[] = [];
  const usedNames = new Set<string>();
  for (const kind of ["image", "file"] as const) {
    const rules = mediaRules[kind];
    const items = given[kind];
    if (items.length > rules.maxItems) {
      violations.push(`${rules.list}: at most ${rules.maxItems} are allowed, but there are ${items.length}`);
      continue;
    }
    for (const [index, item] of items.entries()) {
      const judged = await judgeItem(item, kind, rules);
      const fallback = `${kind}-${index + 1}.${extensionOf(judged.mimeType)}`;
      const name = uniqueName(safeName(item.filename, fallback), usedNames);
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
  // Too large: no need to read it.
  if (bytes > rules.maxBytes) return { mimeType, bytes, problems: [...problems, tooLarge(rules, bytes)] };
  const verdict = await judgeBase64(data);
  if (!verdict.pass) return { mimeType, bytes, problems: [...problems, `data is not base64: ${verdict.reason}`] };
  const sniffed = sniffFamily(verdict.sample);
  if (isKnown && sniffed && sniffed.family !== declaredFamily(mimeType))
    problems.push(`declared as ${mimeType}, but its first bytes are those of ${sniffed.name}`);
  return { mimeType, bytes, problems };
}

function tooLarge({ maxBytes }: MediaRules, bytes: number): string {
  return `at most ${sizeText(maxBytes)} are allowed, but it has ${sizeText(bytes)}`;
}

function unknownType(declared: string, mimeType: string, kind: MediaKind, { mimeTypes }: MediaRules): string {
  const other: MediaKind = kind === "image" ? "file" : "image";
  const shown = quoted(declared, 100);
  if (mediaRules[other].mimeTypes.includes(mimeType)) return `${shown} belongs in "${mediaRules[other].list}"`;
  return `the type ${shown} is not supported, only ${mimeTypes.join(", ")}`;
}
