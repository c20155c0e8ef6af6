import { Fault } from "../core/fault.ts";
import type { HubControl } from "../hub/control/verbs.ts";

/** What an agent sees of the servers and their tools, and may do with them: its own ones only. */
export function controlForAgent(control: HubControl, mayUse: (source: string) => boolean): HubControl {
  const { servers, tools, signIns } = control;

  /** The method, for servers that the agent may use. */
  function own<Input extends { readonly name: string } | { readonly server: string }, Result>(
    method: (input: Input) => Promise<Result>,
  ) {
    return async (input: Input): Promise<Result> => {
      requireUse("name" in input ? input.name : input.server);
      return method(input);
    };
  }

  function requireUse(server: string): void {
    if (!mayUse(server)) throw new Fault("denied", `This agent may not use the server ${server}.`);
  }

  return {
    ...control,
    servers: {
      ...servers,
      list: async () => (await servers.list()).filter(({ name }) => mayUse(name)),
      connect: own(servers.connect),
      disconnect: own(servers.disconnect),
      logs: own(servers.logs),
      async refresh({ name } = {}) {
        if (name !== undefined) requireUse(name);
        return (await servers.refresh({ name })).filter((server) => mayUse(server.name));
      },
    },
    tools: {
      ...tools,
      list: async (input) => (await tools.list(input)).filter((tool) => mayUse(tool.source)),
      async find(input) {
        const found = await tools.find(input);
        return found !== undefined && mayUse(found.source) ? found : undefined;
      },
    },
    signIns: {
      ...signIns,
      methodFor: own(signIns.methodFor),
      begin: own(signIns.begin),
      finish: own(signIns.finish),
      beginDevice: own(signIns.beginDevice),
      logout: own(signIns.logout),
      list: async () => (await signIns.list()).filter(({ server }) => mayUse(server)),
    },
  };
}
