import { isRecord } from "../../core/is-record.ts";
import type { Resource } from "./resources-and-prompts.ts";

/** A skill as a server lists it (SEP-2640). */
export interface Skill {
  /** Of its `SKILL.md`. */
  readonly uri: string;
  /** That of `SKILL.md`, verbatim. */
  readonly frontmatter: SkillFrontmatter;
  /** Every file of the skill, or `dynamic` if the server makes them up as they are read. */
  readonly resources: readonly SkillFile[] | "dynamic";
  readonly _meta?: Readonly<Record<string, unknown>>;
}

export interface SkillFrontmatter {
  readonly name: string;
  readonly description: string;
  readonly [field: string]: unknown;
}

export interface SkillFile {
  readonly uri: string;
  /** `sha256:` and 64 hexadecimal digits, of the file's bytes. */
  readonly digest: string;
  readonly size: number;
}

export interface GetSkillResult {
  readonly skill: Skill;
  readonly _meta?: Record<string, unknown>;
}

export interface ReadDirectoryResult {
  /** The direct children; a directory has the type `inode/directory`. */
  readonly resources: readonly Resource[];
  readonly nextCursor?: string;
  readonly _meta?: Record<string, unknown>;
}

/** More than the 512 files that every host must accept. */
const maxFiles = 4096;
const digestForm = /^sha256:[\da-f]{64}$/;
const manifest = "/SKILL.md";

/** The directory of a skill, without a slash at its end. */
export function skillRoot({ uri }: Pick<Skill, "uri">): string {
  return uri.slice(0, -manifest.length);
}

/** Whether a value that a server sent is a skill: its own files, in its own directory, each once. */
export function isSkill(value: unknown): value is Skill {
  if (!isRecord(value) || typeof value.uri !== "string" || !isRecord(value.frontmatter)) return false;
  const { uri, frontmatter, resources } = value;
  if (!uri.endsWith(manifest) || uri.slice(0, -manifest.length).endsWith("/")) return false;
  if (typeof frontmatter.name !== "string" || typeof frontmatter.description !== "string") return false;
  if (resources === "dynamic") return true;
  if (!Array.isArray(resources) || resources.length > maxFiles || !resources.every(isSkillFile)) return false;
  const within = uri.slice(0, 1 - manifest.length);
  const uris = new Set(resources.map((file) => file.uri));
  return uris.size === resources.length && uris.has(uri) && resources.every((file) => isWithin(file.uri, within));
}

function isSkillFile(value: unknown): value is SkillFile {
  if (!isRecord(value) || typeof value.uri !== "string" || typeof value.digest !== "string") return false;
  return digestForm.test(value.digest) && Number.isSafeInteger(value.size) && (value.size as number) >= 0;
}

/** No query or fragment, and no way out of the directory. */
function isWithin(uri: string, directory: string): boolean {
  return uri.startsWith(directory) && !/[?#]|(?:^|\/)(?:\.|%2e){0,2}(?:\/|$)/i.test(uri.slice(directory.length));
}
