import { Fault } from "../../core/fault.ts";
import { isRecord } from "../../core/is-record.ts";
import type { Question } from "./interim-messages.ts";

/** What a client says about itself. It decides what may be sent to the client, and is never trusted. */
export interface ClientFacts {
  readonly name?: string;
  readonly version?: string;
  readonly capabilities: Readonly<Record<string, unknown>>;
}

export const unknownClient: ClientFacts = { capabilities: {} };

export const tasksExtension = "io.modelcontextprotocol/tasks";

export function parseClientFacts(info: unknown, capabilities: unknown): ClientFacts {
  const { name, version } = isRecord(info) ? info : {};
  return {
    ...(typeof name === "string" ? { name: name.slice(0, 200) } : {}),
    ...(typeof version === "string" ? { version: version.slice(0, 100) } : {}),
    capabilities: isRecord(capabilities) ? capabilities : {},
  };
}

/** Whether a client, or a server, has declared the tasks extension. */
export function hasTasks({ capabilities }: Pick<ClientFacts, "capabilities">): boolean {
  const { extensions } = capabilities;
  return isRecord(extensions) && extensions[tasksExtension] !== undefined;
}

/** Faults if the client has not declared the tasks extension. */
export function requireTasks(client: ClientFacts, message: string): void {
  const fault = missingTasks(client, message);
  if (fault) throw fault;
}

/** The fault of a client that has not declared the tasks extension. */
export function missingTasks(client: ClientFacts, message: string): Fault | undefined {
  if (hasTasks(client)) return undefined;
  return new Fault("missing-capability", message, {
    detail: { requiredCapabilities: { extensions: { [tasksExtension]: {} } } },
  });
}

/** The capabilities of a client to be asked, for a server behind this one. `own` is what this one can answer itself. */
export function askableOf(client: ClientFacts, own: { readonly sampling: boolean }): Record<string, object> {
  const { elicitation, sampling } = client.capabilities;
  const modes = isRecord(elicitation) ? elicitation : undefined;
  const hasForm = modes !== undefined && (modes.form !== undefined || modes.url === undefined);
  const hasTools = isRecord(sampling) && sampling.tools !== undefined;
  return {
    ...(modes
      ? { elicitation: { ...(hasForm ? { form: {} } : {}), ...(modes.url === undefined ? {} : { url: {} }) } }
      : {}),
    ...(sampling !== undefined || own.sampling ? { sampling: hasTools ? { tools: {} } : {} } : {}),
  };
}

/** The fault of a question that no one can be asked. 2026-07-28: it lists what the client would have to support. */
export function cannotAsk(question: Question, message: string): Fault {
  const requiredCapabilities = missingCapability(unknownClient, question) ?? {};
  return new Fault("missing-capability", message, { detail: { requiredCapabilities } });
}

/** The capability that a question needs and the client lacks, in the form of `requiredCapabilities`. */
export function missingCapability(client: ClientFacts, question: Question): Record<string, object> | undefined {
  switch (question.method) {
    case "roots/list":
      return client.capabilities.roots === undefined ? { roots: {} } : undefined;
    case "sampling/createMessage":
      return client.capabilities.sampling === undefined ? { sampling: {} } : undefined;
    case "elicitation/create": {
      const { elicitation } = client.capabilities;
      if (question.params?.mode === "url") {
        return isRecord(elicitation) && elicitation.url !== undefined ? undefined : { elicitation: { url: {} } };
      }
      // An empty object means form mode, the only mode of the first revisions.
      if (!isRecord(elicitation)) return { elicitation: { form: {} } };
      return elicitation.form === undefined && elicitation.url !== undefined
        ? { elicitation: { form: {} } }
        : undefined;
    }
  }
}
