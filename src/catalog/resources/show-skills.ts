import type { Skill } from "../../mcp/messages/skill.ts";
import { qualifyUri } from "./qualified-uri.ts";

/** The same object for the same skill and source, since lists are compared by their elements. */
const shown = new WeakMap<Skill, Map<string, Skill>>();

/** The skill with the name of its source in each of its URIs, so that its files stay in its directory. */
export function qualifySkill(source: string, skill: Skill): Skill {
  const forms = shown.get(skill) ?? new Map<string, Skill>();
  shown.set(skill, forms);
  const made = forms.get(source) ?? withSource(source, skill);
  forms.set(source, made);
  return made;
}

function withSource(source: string, skill: Skill): Skill {
  const { uri, resources } = skill;
  return {
    ...skill,
    uri: qualifyUri(source, uri),
    resources:
      resources === "dynamic" ? resources : resources.map((file) => ({ ...file, uri: qualifyUri(source, file.uri) })),
  };
}
