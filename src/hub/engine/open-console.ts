import type { IncomingMessage, ServerResponse } from "node:http";
import { fileURLToPath } from "node:url";
import { ownMark } from "../../core/process/process-mark.ts";
import { packageFile } from "../../core/version.ts";
import type { Tokens } from "../../doors/mcp/tokens.ts";
import { mainTokenName } from "../../doors/mcp/gate.ts";
import { openConsoleDoor } from "../../doors/console/console-door.ts";
import { createConsoleFeed } from "../control/insight/console-feed.ts";
import { createControlApi, onlyLooks, type ControlApi } from "../control/control-api.ts";
import type { HubControl } from "../control/hub-control.ts";
import type { EngineParts } from "./engine-parts.ts";
import type { GuardedCatalog } from "./open-guard.ts";

export interface ConsoleWiring {
  readonly tokens: Tokens;
  port(): number;
  openControl(): Promise<HubControl>;
  readonly guarded: Pick<GuardedCatalog, "askers" | "onCall">;
}

/** The audit says that the person answered here. */
function answeredHere(control: HubControl): HubControl {
  const { approvals } = control;
  const approve: typeof approvals.approve = (id, request) => approvals.approve(id, { ...request, by: "console" });
  return { ...control, approvals: { ...approvals, approve } };
}

export interface OpenedConsole {
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
  close(): void;
}

/** Where `npm run build` puts the page. */
const pageFolder = fileURLToPath(packageFile("dist/console"));

/** The console of this hub. While its page is open, the guard can ask the person who sees it. */
export function openConsole(parts: EngineParts, { tokens, port, openControl, guarded }: ConsoleWiring): OpenedConsole {
  const { home, log, version, catalog, guard, approvals } = parts;
  let opening: Promise<{ readonly control: HubControl; readonly api: ControlApi }> | undefined;
  const opened = () =>
    (opening ??= openControl().then((control) => ({ control, api: createControlApi(answeredHere(control)) })));
  const door = openConsoleDoor({
    home,
    log,
    folder: pageFolder,
    hub() {
      const { pid, start } = ownMark("/proc");
      return { address: `http://127.0.0.1:${port()}`, pid, processStart: start };
    },
    tokenKey() {
      // Looks at the files first, as for any token.
      tokens.match("");
      return tokens.keyOf(mainTokenName);
    },
    api: async (verb, body, rights) => (await opened()).api(verb, body, rights),
    calls: { find: (name) => catalog.find(name), call: (tool, args, context) => guard.call(tool, args, context) },
    hello: () => ({ type: "hello", version }),
    onUse: (inUse) => (inUse ? feed.start() : feed.stop()),
    onlyLooks,
  });
  const feed = createConsoleFeed({
    open: async () => (await opened()).control,
    home,
    log,
    catalog,
    approvals,
    onCall: guarded.onCall,
    send: (event) => door.streams.send(event),
  });
  // The question itself is in the list of what waits; the answer comes through `approvals.approve`.
  const forgetAsker = guarded.askers.add({
    id: "console",
    kind: "console",
    available: () => door.streams.hasPerson(),
    ask: (_, signal) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve(undefined);
        signal.addEventListener("abort", () => resolve(undefined), { once: true });
      }),
  });
  return {
    handle: (request, response) => door.handle(request, response),
    close() {
      forgetAsker();
      feed.stop();
      door.close();
    },
  };
}
