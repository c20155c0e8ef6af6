import { hash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { isRecord } from "../../../core/is-record.ts";
import type { Skill, SkillFile } from "../../../mcp/messages/skill.ts";
import type { ResourceContents } from "../../../mcp/messages/tool.ts";

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
  const content = contentOf(uri, contents);
  const bytes = content && bytesOf(content);
  if (bytes === undefined) return "it has no content";
  if (file !== undefined && bytes.length !== file.size) return `it has ${bytes.length} bytes instead of ${file.size}`;
  if (file !== undefined && `sha256:${hash("sha256", bytes)}` !== file.digest) return "its digest differs";
  if (uri !== skill.uri) return undefined;
  const frontmatter = await parseFrontmatter(bytes.toString("utf8"));
  return isDeepStrictEqual(frontmatter, toJson(skill.frontmatter)) ? undefined : "its frontmatter differs";
}

function contentOf(uri: string, contents: unknown): ResourceContents | undefined {
  if (!Array.isArray(contents)) return undefined;
  const all = contents.filter(isRecord) as unknown as readonly ResourceContents[];
  return all.find((each) => each.uri === uri) ?? (all.length === 1 ? all[0] : undefined);
}

function bytesOf({ text, blob }: ResourceContents): Buffer | undefined {
  if (typeof text === "string") return Buffer.from(text, "utf8");
  return typeof blob === "string" ? Buffer.from(blob, "base64") : undefined;
}

const frontmatterForm = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/;
const longestFrontmatter = 64 * 1024;

/** Undefined if there is none, or it can't be read. */
async function parseFrontmatter(markdown: string): Promise<unknown> {
  const text = frontmatterForm.exec(markdown.slice(0, longestFrontmatter))?.[1];
  if (text === undefined) return undefined;
  const { parse } = await import("yaml");
  try {
    return toJson(parse(text.replaceAll("\r\n", "\n"), { schema: "core", maxAliasCount: 20, logLevel: "error" }));
  } catch {
    return undefined;
  }
}

/** As it is after a way over the wire. */
function toJson(value: unknown): unknown {
  return value === undefined ? undefined : (JSON.parse(JSON.stringify(value)) as unknown);
}
