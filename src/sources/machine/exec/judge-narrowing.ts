import { type AllowlistEntry, type ExecApprovalsFile, policyOf } from "./approvals-file.ts";

/** From the strictest to the loosest. */
const securities = ["deny", "allowlist", "full"] as const;
const asks = ["always", "on-miss", "off"] as const;

/** An agent that no file names: the defaults apply to it. */
const anyOther = "\0";

/** Why the new file allows something that the old one does not; undefined if it only tightens. */
export function judgeNarrowing(before: ExecApprovalsFile, after: ExecApprovalsFile): string | undefined {
  const agents = new Set([...Object.keys(before.agents ?? {}), ...Object.keys(after.agents ?? {}), "main", anyOther]);
  agents.delete("*");
  for (const agent of agents) {
    const [old, next] = [policyOf(before, agent), policyOf(after, agent)];
    const who = agent === anyOther ? "agents that are not named" : `agent ${JSON.stringify(agent)}`;
    if (isLooser(securities, old.security, next.security)) return `security of ${who} would be loosened`;
    if (isLooser(asks, old.ask, next.ask)) return `ask of ${who} would be loosened`;
    if (isLooser(securities, old.askFallback, next.askFallback)) return `askFallback of ${who} would be loosened`;
    if (next.autoAllowSkills && !old.autoAllowSkills) return `autoAllowSkills of ${who} would be switched on`;
    const known = new Set(old.allowlist.map(grantOf));
    if (next.allowlist.some((entry) => !known.has(grantOf(entry)))) return `the allowlist of ${who} would grow`;
    const tools = new Set(toolsOf(before, agent));
    if (toolsOf(after, agent).some((tool) => !tools.has(tool))) return `mcpTools of ${who} would grow`;
  }
  return undefined;
}

function isLooser<T>(order: readonly T[], old: T, next: T): boolean {
  return order.indexOf(next) > order.indexOf(old);
}

/** What an entry allows. Dropping the arguments, or the mark of a generated entry, would make it allow more. */
function grantOf({ pattern, argPattern, source }: AllowlistEntry): string {
  return JSON.stringify([pattern, argPattern, source]);
}

function toolsOf({ agents = {} }: ExecApprovalsFile, agent: string): string[] {
  return ["*", agent].flatMap((name) =>
    (Object.hasOwn(agents, name) ? (agents[name]?.mcpTools ?? []) : []).map(({ server, tool }) =>
      JSON.stringify([server, tool]),
    ),
  );
}
