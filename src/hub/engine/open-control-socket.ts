import { createServer } from "node:http";
import { Fault } from "../../core/fault.ts";
import { arrivalTimeouts, createBodyIntake } from "../../core/http/body-intake.ts";
import { parseHubRoute } from "../../core/http/hub-routes.ts";
import { plainTextType, sendText } from "../../core/http/send-json.ts";
import { type ControlHandler, maxControlBytes, serveControl } from "../../doors/mcp/control-route.ts";
import { judgeCaller } from "../../doors/mcp/gate.ts";
import { openHubKeys } from "../../doors/mcp/hub-keys.ts";
import { sendRpcFault } from "../../mcp/http/send-rpc-response.ts";
import type { EngineParts } from "./engine-parts.ts";
import { listenForOwner } from "./hub-socket.ts";

/** The owner's commands reach a process without an HTTP door here. Keys count, tokens don't, and there is no MCP. */
export async function openControlSocket(parts: EngineParts, control: ControlHandler): Promise<string> {
  const { home, env, closers } = parts;
  const keys = await openHubKeys(parts);
  closers.add("keys", () => keys.close());
  const intake = createBodyIntake();
  const rules = { matchToken: keys.match, maxBodyBytes: maxControlBytes, remote: true };
  const server = createServer(arrivalTimeouts(maxControlBytes), (request, response) => {
    const { method = "", headers, rawHeaders, httpVersion, socket } = request;
    const verdict = judgeCaller({ peer: socket.remoteAddress, method, headers, rawHeaders, httpVersion }, rules);
    if (!verdict.pass) {
      response.setHeader("connection", "close");
      return sendText(response, verdict.status, plainTextType, `${verdict.reason}\n`);
    }
    const route = parseHubRoute(request.url ?? "/");
    if (route.kind !== "control") return sendRpcFault(response, new Fault("not-found", noMcp));
    void serveControl(request, response, { verb: route.verb, key: verdict.token.key, control, intake });
  });
  closers.add("control socket", () => {
    server.close();
    server.closeAllConnections();
    intake.close();
  });
  return listenForOwner(server, home, env);
}

const noMcp = "This node serves no MCP clients. Set `machine.enableMcpServer: true` and start it again.";
