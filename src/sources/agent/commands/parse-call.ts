import { Fault } from "../../../core/fault.ts";
import { messageOf } from "../../../core/thrown.ts";

export interface TypedCall {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** Reads `<tool> <json>`; no JSON means no arguments. */
export function parseCall(text: string): TypedCall {
  const [, name, json = ""] = /^(\S+)\s*([\s\S]*)$/.exec(text.trim()) ?? [];
  if (name === undefined) throw new Fault("usage", 'Say which tool: "/call <tool> <json>". "/tools" lists them.');
  const args = json === "" ? {} : parseJson(json, name);
  if (typeof args !== "object" || args === null || Array.isArray(args))
    throw new Fault("usage", `The arguments of ${name} have to be a JSON object: /call ${name} {"…": …}`);
  return { name, args: args as Record<string, unknown> };
}

function parseJson(json: string, name: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    throw new Fault("usage", `The arguments of ${name} are not JSON: ${messageOf(error)}`);
  }
}
