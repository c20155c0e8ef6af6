import type { CallContext } from "../../../catalog/call-context.ts";
import type { SkillSource } from "../../../catalog/source.ts";
import { Fault } from "../../../core/fault.ts";
import { isRecord } from "../../../core/is-record.ts";
import { quoted } from "../../../core/text/peer-text.ts";
import type { Params } from "../../../mcp/messages/json-rpc.ts";
import type { ReadResourceResult } from "../../../mcp/messages/resources-and-prompts.ts";
import { type GetSkillResult, isSkill, type Skill } from "../../../mcp/messages/skill.ts";
import type { ListCache } from "../lists/list-cache.ts";
import { findSkillProblem, type ListedSkillFile } from "./verify-skill-file.ts";

/** Sends a request that only reads. */
export type SendRead = (method: string, params: Params, context: CallContext) => Promise<Params>;

/** The skills of one server (SEP-2640). Their files are ordinary resources, and are checked when they are read. */
export interface ServerSkills extends SkillSource {
  /** Faults if the resource is a file of a skill and is not what the server's entry of the skill says. */
  check(uri: string, result: ReadResourceResult, context: CallContext): Promise<void>;
}

export function createServerSkills(server: string, lists: ListCache, send: SendRead): ServerSkills {
  let indexed: readonly Skill[] | undefined;
  let files = new Map<string, ListedSkillFile>();

  return {
    skills: () => lists.current().skills,
    getSkill,
    async readDirectory(uri, cursor, context) {
      const params = cursor === undefined ? { uri } : { uri, cursor };
      const result = await send("resources/directory/read", params, context);
      if (!Array.isArray(result.resources)) throw broken(`listed no files in ${quoted(uri)}`);
      const resources = result.resources.filter((each) => isRecord(each) && typeof each.uri === "string");
      return { ...result, resources };
    },
    async check(uri, { contents }, context) {
      const listed = listedFile(uri);
      if (listed === undefined) return;
      const problem = await findSkillProblem(uri, contents, listed);
      if (problem === undefined) return;
      // The skill may have changed since it was listed: then its new entry describes the file.
      const current = await getSkill(listed.skill.uri, context).catch(() => undefined);
      const file = current && fileOf(current.skill, uri);
      const left = file === undefined ? problem : await findSkillProblem(uri, contents, file);
      if (left !== undefined)
        throw broken(`sent ${quoted(uri)} other than in its list of skills: ${left}. The file was not passed on`);
      lists.suspectStale();
    },
  };

  async function getSkill(uri: string, context: CallContext): Promise<GetSkillResult> {
    const result = await send("skills/get", { uri }, context);
    if (!isSkill(result.skill) || result.skill.uri !== uri) throw broken(`sent no valid skill for ${quoted(uri)}`);
    return result as unknown as GetSkillResult;
  }

  function listedFile(uri: string): ListedSkillFile | undefined {
    const { skills } = lists.current();
    if (skills !== indexed) {
      indexed = skills;
      files = new Map(skills.flatMap((skill) => uriPairs(skill)));
    }
    return files.get(uri);
  }

  function broken(what: string): Fault {
    return new Fault("corrupt", `The server ${server} ${what}.`);
  }
}

function uriPairs(skill: Skill): readonly (readonly [string, ListedSkillFile])[] {
  if (skill.resources === "dynamic") return [[skill.uri, { skill, file: undefined }]];
  return skill.resources.map((file) => [file.uri, { skill, file }] as const);
}

function fileOf(skill: Skill, uri: string): ListedSkillFile | undefined {
  return uriPairs(skill).find(([each]) => each === uri)?.[1];
}
