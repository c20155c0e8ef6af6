import { Type } from "./schema-type.ts";

const agentServers = Type.Object(
  {
    servers: Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
      description: "Names of the servers that this agent may use; an empty list for none.",
    }),
  },
  { additionalProperties: false, description: "An agent of OpenClaw." },
);

/** The `agents` section: which agent of OpenClaw may use which servers. */
export const agentServersSchema = Type.Record(
  Type.String({ pattern: "^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$" }),
  agentServers,
  {
    additionalProperties: false,
    description:
      "Which servers the agents of OpenClaw may use, by the agent's id; `defaults` is for agents that are not listed. Without it every agent may use every server. Only the OpenClaw plugin uses it.",
  },
);

export type AgentServers = Type.Static<typeof agentServersSchema>;

/** Whether an agent may use a server. A caller without an agent may use only what agents without a list of their own may. */
export function mayUseServer(agents: AgentServers | undefined, agent: string | undefined, server: string): boolean {
  const isListed = agents !== undefined && agent !== undefined && agent !== "defaults" && Object.hasOwn(agents, agent);
  const own = isListed ? agents[agent] : undefined;
  const { servers } = own ?? agents?.["defaults"] ?? {};
  return servers === undefined || servers.includes(server);
}

/** Whether there can be an agent that may use it: only then is it worth connecting. */
export function isUsedByAgents(agents: AgentServers | undefined, server: string): boolean {
  if (agents?.["defaults"] === undefined) return true;
  return Object.values(agents).some(({ servers }) => servers.includes(server));
}
