import { hash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { isRecord } from "../../../core/is-record.ts";
import type { Skill, SkillFile } from "../../../mcp/messages/skill.ts";

/** A file as the server's entry of its skill describes it. */
export interface ListedSkillFile {
  readonly skill: Skill;
  /** Undefined for `SKILL.md` of a skill whose files are not listed. */
  readonly file: SkillFile | undefined;
}

/**
 * SEP-2640, Integrity and Verification: what is wrong with a file that was read, compared with the entry of its skill;
 * undefined if nothing is. Of `SKILL.md` the frontmatter is compared, too.
 */
export async function findSkillProblem(
  uri: string,
  contents: unknown,
  { skill, file }: ListedSkillFile,
): Promise<string | undefined> {
  const [content, ...others] = Array.isArray(contents) ? contents : [];
  const bytes = isRecord(content) ? bytesOf(content) : undefined;
  // Only one is compared, and all would be passed on.
  if (others.length > 0 || (isRecord(content) && isTwofold(content))) return "it has more than one content";
  if (bytes === undefined) return "it has no content";
  if (file !== undefined && bytes.length !== file.size) return `it has ${bytes.length} bytes instead of ${file.size}`;
  if (file !== undefined && `sha256:${hash("sha256", bytes)}` !== file.digest) return "its digest differs";
  if (uri !== skill.uri) return undefined;
  const frontmatter = await parseFrontmatter(bytes.toString("utf8"));
  return isDeepStrictEqual(frontmatter, toJson(skill.frontmatter)) ? undefined : "its frontmatter differs";
}

function isTwofold({ text, blob }: Readonly<Record<string, unknown>>): boolean {
  return text !== undefined && blob !== undefined;
}

function bytesOf({ text, blob }: Readonly<Record<string, unknown>>): Buffer | undefined {
  if (typeof text === "string") return Buffer.from(text, "utf8");
  return typeof blob === "string" ? Buffer.from(blob, "base64") : undefined;
}

const frontmatterForm = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/;
const maxFrontmatterLength = 16 * 1024;

/** Undefined if there is none, or it can't be read. With aliases, a few lines can keep the parser busy for hours. */
async function parseFrontmatter(markdown: string): Promise<unknown> {
  const text = frontmatterForm.exec(markdown.slice(0, maxFrontmatterLength))?.[1];
  if (text === undefined) return undefined;
  const { parseDocument, visit } = await import("yaml");
  try {
    const document = parseDocument(text.replaceAll("\r\n", "\n"), {
      schema: "core",
      prettyErrors: false,
      logLevel: "error",
    });
    let hasAlias = false;
    visit(document, { Alias: () => ((hasAlias = true), visit.BREAK) });
    return hasAlias || document.errors.length > 0 ? undefined : toJson(document.toJS());
  } catch {
    return undefined;
  }
}

/** As it is after a way over the wire. */
function toJson(value: unknown): unknown {
  return value === undefined ? undefined : (JSON.parse(JSON.stringify(value)) as unknown);
}
