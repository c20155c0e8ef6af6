import { Fault } from "../../../core/fault.ts";
import { isRecord } from "../../../core/is-record.ts";
import { quoted } from "../../../core/quoted.ts";
import { answerAuth } from "./auth-desk.ts";
import type { ServersControl } from "./servers-control.ts";

/** Takes what another process of the same person asks of this one's servers. */
export type ControlDesk = (verb: string, body: unknown) => Promise<unknown>;

/**
 * Looks and switches only: nothing here can change the configuration. Whoever wants another server has to be able to
 * write the file, since a server can be any command.
 */
export function createControlDesk(control: ServersControl): ControlDesk {
  const verbs: Readonly<Record<string, (body: Readonly<Record<string, unknown>>) => Promise<unknown>>> = {
    servers: () => control.servers(),
    tools: ({ source }) => control.tools(optionalText(source, "source")),
    tool: async ({ name }) => (await control.findTool(text(name, "name"))) ?? null,
    connect: ({ name }) => control.connect(text(name, "name")),
    disconnect: ({ name }) => control.disconnect(text(name, "name")),
    refresh: ({ name }) => control.refresh(optionalText(name, "name")),
    logs: ({ name }) => control.logs(text(name, "name")),
    auth: (body) => answerAuth(control.auth, body),
    configuration: () => control.configuration(),
    reload: async () => {
      await control.reload();
      return null;
    },
  };
  return async (verb, body) => {
    const act = Object.hasOwn(verbs, verb) ? verbs[verb] : undefined;
    if (act === undefined) throw new Fault("not-found", `The hub can't be asked for ${quoted(verb, 40)}.`);
    if (!isRecord(body)) throw new Fault("bad-params", "The body has to be a JSON object.");
    return act(body);
  };
}

function text(value: unknown, name: string): string {
  if (typeof value !== "string") throw new Fault("bad-params", `"${name}" has to be a text.`);
  return value;
}

function optionalText(value: unknown, name: string): string | undefined {
  return value === undefined ? undefined : text(value, name);
}
