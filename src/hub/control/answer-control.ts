import type { Engine } from "../engine/engine.ts";
import type { ControlHandler } from "../../doors/mcp/control-route.ts";
import type { ControlApi } from "./control-api.ts";

/**
 * Answers the control API for the owner's commands and relays. It is opened with the first of them: that opens the servers,
 * too, and the host may not wait for them.
 */
export function answerControl(engine: Engine): ControlHandler {
  let opening: Promise<ControlApi> | undefined;
  return async (verb, body, key, signal) => (await (opening ??= openApi(engine)))(verb, body, key, signal);
}

async function openApi(engine: Engine): Promise<ControlApi> {
  const { createControlApi } = await import("./control-api.ts");
  const { openHubContext } = await import("./local-control.ts");
  return createControlApi(await openHubContext(engine));
}
