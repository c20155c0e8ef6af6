import { removeJson5, setJson5 } from "../../../core/config/json5/edit-json5.ts";
import { migrateMachine, trayKeys } from "../../../core/config/machine-config.ts";
import { readJson5 } from "../../../core/config/json5/read-json5.ts";
import { Fault } from "../../../core/fault.ts";
import { asRecord } from "../../../core/is-record.ts";
import { quoted } from "../../../core/text/peer-text.ts";
import type { FileContext } from "../contexts.ts";
import type { Input } from "../input.ts";
import type { consent, switches } from "../verbs/settings.ts";
import { type EditedConfigFile, openConfigFile, ownerPlace } from "./config-file.ts";
import type { MachineHost, MachineState } from "./machine-state.ts";

/** The owner's file: switches in a folder's file would not count. */
export function machineFile(file: FileContext): EditedConfigFile {
  return openConfigFile({ ...file, place: ownerPlace(file.place, file.home) });
}

export async function setSwitches(file: FileContext, settings: Input<typeof switches>): Promise<MachineState> {
  const given = Object.entries(settings).filter(([, value]) => value !== undefined);
  if (given.length === 0) throw new Fault("bad-params", "Name a switch to change.");
  requireUse((await file.readMachine()).host, settings);
  await machineFile(file).change((text) =>
    given.reduce((all, [key, value]) => setJson5(all, ["machine", key], value), modernize(text)),
  );
  return file.readMachine();
}

export async function setConsent(
  file: FileContext,
  { capability, mode }: Input<typeof consent>,
): Promise<MachineState> {
  if (!/^[a-z][A-Za-z0-9]*(?:\.[A-Za-z0-9]+){0,3}$/.test(capability))
    throw new Fault("usage", `${quoted(capability, 100)} is not the name of a tool such as clipboard.read.`);
  const path = ["machine", "consent", capability];
  await machineFile(file).change((text) => {
    if (mode !== "default") return setJson5(text, path, mode);
    return isSet(text, capability) ? removeJson5(text, path) : text;
  });
  return file.readMachine();
}

/** A switch that has no effect on what runs would only seem to work. */
function requireUse(host: MachineHost, { enabled, enableMcpServer }: Input<typeof switches>) {
  if (host === "hub" && enableMcpServer !== undefined)
    throw new Fault(
      "conflict",
      "A hub always serves MCP clients; this switch is for `clawport node`. Run `clawport stop` first, then set it.",
    );
  if (host === "node" && enabled !== undefined)
    throw new Fault(
      "conflict",
      "A node always offers the tools of this computer; this switch is for `clawport up`. Run `clawport stop` first, then set it.",
    );
}

function isSet(text: string, capability: string): boolean {
  return Object.hasOwn(asRecord(machineOf(text)["consent"]), capability);
}

function machineOf(text: string): Readonly<Record<string, unknown>> {
  return asRecord(asRecord(text.trim() === "" ? {} : readJson5(text).value)["machine"]);
}

/** Switches that the tray wrote, under their present names. */
function modernize(text: string): string {
  const machine = machineOf(text);
  const old = trayKeys.filter((key) => Object.hasOwn(machine, key));
  if (old.length === 0) return text;
  const { enableNodeMode, enableMcpServer } = asRecord(asRecord(migrateMachine({ machine }))["machine"]);
  const switches = Object.entries({ enableNodeMode, enableMcpServer }).filter(([, value]) => value !== undefined);
  const cleared = old.reduce((all, key) => removeJson5(all, ["machine", key]), text);
  return switches.reduce((all, [key, value]) => setJson5(all, ["machine", key], value), cleared);
}
