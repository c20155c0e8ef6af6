import { machineSwitches } from "../../core/config/machine-config.ts";
import { Fault, isFault, messageOf } from "../../core/fault.ts";
import { untilAborted } from "../../core/wait.ts";
import type { Engine } from "../../hub/engine/engine.ts";
import type { CommandContext } from "../command-context.ts";
import { type CommandGroup, defineCommand } from "../command.ts";
import { allowCommand, forgetCapability } from "../node/allow-capability.ts";
import { callCapability } from "../node/call-capability.ts";
import { nodeStatus, pairCommand } from "../node/gateway-commands.ts";
import { nodeConsent, nodeSettings } from "../node/settings-commands.ts";
import { showTray } from "../node/show-tray.ts";
import { trustOption } from "../options.ts";

const run = defineCommand({
  name: "run",
  summary: "offer the tools of this computer until Ctrl-C",
  options: {
    port: {
      type: "number",
      value: "<port>",
      range: [0, 65_535],
      description: "listen on this port; 0 for any free port (default: from the configuration, else 8765)",
    },
    tray: { type: "boolean", description: "show an icon in your panel; the default in a desktop session" },
    "no-tray": { type: "boolean", description: "show none" },
    ...trustOption,
  },
  async run(context) {
    const { openPlace } = await import("../../hub/open-place.ts");
    const { openHost } = await import("../../hub/hosts.ts");
    const { port, trust = false, tray = false, "no-tray": noTray = false } = context.options;
    const place = await openPlace(context, trust);
    const stopping = context.stopSignal();
    const askers = context.json ? [] : [await context.createAsker()];
    const node = await openHost("node", { ...place, askers }, { port }).catch((error: unknown) => {
      if (tray && isFault(error, "conflict")) return undefined;
      return besideHub(error);
    });
    // The node is one, the tray is in each session.
    if (node === undefined) return showTray(context, {});
    const quit = new AbortController();
    const ended = AbortSignal.any([stopping, quit.signal]);
    try {
      announce(context, node);
      const isWanted = tray || (!noTray && !context.json && isDesktopSession(context.env));
      const shown = isWanted ? showTray(context, { node, signal: ended }) : undefined;
      // Where no one asked for it, a desktop without a panel is no fault.
      shown?.then(
        () => quit.abort(),
        (error: unknown) => (tray ? context.log.warn(messageOf(error)) : context.log.debug("no tray", { error })),
      );
      await untilAborted(ended);
      context.say("\nStopping: calls in progress have 5 seconds to finish. Press Ctrl-C again to stop at once.");
    } finally {
      await node.close();
    }
  },
});

/** A hub that runs already can offer this computer, too. */
function besideHub(error: unknown): never {
  if (!isFault(error, "conflict") || !error.message.startsWith("the hub is already running")) throw error;
  const how = "If it is a hub, `clawport node settings --offer on` makes it offer the tools of this computer, too.";
  throw new Fault("conflict", `${error.message}. ${how}`, { cause: error, detail: error.detail });
}

function isDesktopSession(env: CommandContext["env"]): boolean {
  const hasDisplay = Boolean(env["DISPLAY"]) || Boolean(env["WAYLAND_DISPLAY"]);
  return hasDisplay && Boolean(env["DBUS_SESSION_BUS_ADDRESS"]);
}

function announce(context: CommandContext, engine: Engine): void {
  const url = engine.http && `${engine.http.address}/`;
  const switches = machineSwitches(engine.config.machine);
  const listed = engine.machine?.registry.list() ?? [];
  const usable = listed.filter(({ availability }) => availability.ok).map(({ capability }) => capability.name);
  const missing = listed.flatMap(({ capability, availability }) =>
    availability.ok ? [] : [{ name: capability.name, reason: availability.reason, fix: availability.fix }],
  );
  const { tokenPath, port, wantedPort = 0 } = engine.http ?? {};
  const { gatewayNode } = engine;
  const lines = [
    ...(url === undefined ? [] : [`Serving MCP clients at ${url}`, `The token is in ${tokenPath}`]),
    ...(wantedPort === 0 || port === wantedPort
      ? []
      : [`Port ${wantedPort} is in use by another program, so the node uses ${port}.`]),
    ...(gatewayNode === undefined
      ? []
      : [
          `Connecting to the OpenClaw gateway at ${gatewayNode.gateway} as node ${gatewayNode.nodeId}`,
          "`clawport node status` shows which commands it lets this computer run.",
        ]),
    `${usable.length} of ${listed.length} tools can be used here: ${usable.join(", ")}`,
    ...Array.from(
      Map.groupBy(missing, ({ reason, fix }) => (fix === undefined ? reason : `${reason}; ${fix}`)),
      ([why, tools]) => `Unavailable: ${tools.map(({ name }) => name).join(", ")} (${why})`,
    ),
    "Ctrl-C stops.",
  ];
  const data = {
    url,
    port,
    tokenPath,
    pid: process.pid,
    switches,
    nodeId: gatewayNode?.nodeId,
    tools: usable,
    missing,
  };
  if (context.json) context.answer(data, "");
  else context.say(lines.join("\n"));
}

export const command: CommandGroup = {
  name: "node",
  summary: "offer the tools of this computer to MCP clients and to OpenClaw",
  commands: [run, callCapability, allowCommand, forgetCapability, nodeConsent, nodeSettings, pairCommand, nodeStatus],
  fallback: "run",
  examples: [
    "clawport node",
    "clawport node --port 9000",
    "clawport node --tray",
    "clawport node call device.info",
    "clawport node allow clipboard.read --session",
    "clawport node settings --offer on",
    "clawport node pair",
    "clawport node status",
  ],
};
