import type { Capability } from "../../sources/machine/capability.ts";

/** A tool for the agents of the gateway, as `node.pluginTools.update` takes it. */
export interface AgentTool {
  readonly pluginId: "clawport";
  readonly name: string;
  readonly description: string;
  readonly parameters: Capability["input"];
  readonly command: string;
}

/** OpenClaw's agents reach these through tools of their own (`exec`, `nodes`, `computer`, `canvas`). */
const ownTools: ReadonlySet<string> = new Set([
  "system",
  "device",
  "location",
  "camera",
  "screen",
  "canvas",
  "computer",
]);

/** The commands that OpenClaw's agents would otherwise not know of. */
export function agentToolsOf(capabilities: readonly Capability[]): readonly AgentTool[] {
  return capabilities.flatMap(({ name, description, input }) => {
    const [category = ""] = name.split(".");
    if (ownTools.has(category)) return [];
    return [{ pluginId: "clawport", name: toolName(name), description, parameters: input, command: name }];
  });
}

/** The gateway accepts `[A-Za-z][A-Za-z0-9_-]{0,63}`. */
function toolName(command: string): string {
  return command.replaceAll(/[^A-Za-z0-9-]/g, "_").slice(0, 64);
}
