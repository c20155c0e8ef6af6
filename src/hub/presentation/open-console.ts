import { fileURLToPath } from "node:url";
import { ownMark } from "../../core/process/process-mark.ts";
import { packageFile } from "../../core/version.ts";
import { mainTokenName } from "../../doors/mcp/gate.ts";
import { openConsoleDoor } from "../../doors/console/console-door.ts";
import { createConsoleFeed } from "../control/queries/console-feed.ts";
import { createControlApi, onlyLooks, type ControlApi } from "../control/control-api.ts";
import { openHubContext } from "../control/local-control.ts";
import type { Engine } from "../engine/engine.ts";
import type { ConsoleWiring, OpenedConsole } from "../engine/open-http.ts";

/** Where `npm run build` puts the page. */
const pageFolder = fileURLToPath(packageFile("dist/console"));

/** The console of this hub. While its page is open, the guard can ask the person who sees it. */
export function openConsole(engine: Engine, { tokens, port }: ConsoleWiring): OpenedConsole {
  const { home, log, version, catalog, guard, approvals, askers, onCall } = engine;
  let opening: Promise<ControlApi> | undefined;
  // The audit says that the person answered here.
  const opened = () =>
    (opening ??= openHubContext(engine).then((hub) => createControlApi({ ...hub, answersBy: "console" })));
  // The page sends orders whether or not clients are offered the tool for them.
  const orders = catalog.view({ source: "agent" });
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
    api: async (verb, body, rights) => (await opened())(verb, body, rights),
    calls: {
      find: (name) => catalog.find(name) ?? orders.find(name),
      call: (tool, args, context) => guard.call(tool, args, context),
    },
    hello: () => ({ type: "hello", version }),
    onUse: (inUse) => (inUse ? feed.start() : feed.stop()),
    onlyLooks,
  });
  const feed = createConsoleFeed({
    open: () => openHubContext(engine),
    home,
    log,
    catalog,
    approvals,
    onCall,
    send: (event) => door.streams.send(event),
  });
  // The question itself is in the list of what waits; the answer comes through `approvals.approve`.
  const forgetAsker = askers.add({
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
