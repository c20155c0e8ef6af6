import { Fault } from "../core/fault.ts";
import type { HubControl } from "../hub/control/hub-control.ts";

/** What an agent sees of the servers and their tools, and may do with them: its own ones only. */
export function controlForAgent(control: HubControl, mayUse: (source: string) => boolean): HubControl {
  const { servers, tools, signIns } = control;

  function own<More extends readonly unknown[], Result>(method: (server: string, ...more: More) => Promise<Result>) {
    return async (server: string, ...more: More): Promise<Result> => {
      requireUse(server);
      return method(server, ...more);
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
      async refresh(name) {
        if (name !== undefined) requireUse(name);
        return (await servers.refresh(name)).filter((server) => mayUse(server.name));
      },
    },
    tools: {
      ...tools,
      list: async (source) => (await tools.list(source)).filter((tool) => mayUse(tool.source)),
      async find(name) {
        const found = await tools.find(name);
        return found !== undefined && mayUse(found.source) ? found : undefined;
      },
    },
    signIns: {
      ...signIns,
      wayOf: own(signIns.wayOf),
      begin: own(signIns.begin),
      finish: own(signIns.finish),
      beginDevice: own(signIns.beginDevice),
      logout: own(signIns.logout),
      list: async () => (await signIns.list()).filter(({ server }) => mayUse(server)),
    },
  };
}
