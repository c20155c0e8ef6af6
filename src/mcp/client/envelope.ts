import { Fault } from "../../core/fault.ts";
import type { Params } from "../json-rpc.ts";
import type { McpLogLevel } from "../progress.ts";
import { isModernVersion } from "../protocol-version.ts";

/** Who sends a request, and what it can do for the server. */
export interface Sender {
  readonly info: { readonly name: string; readonly version: string };
  readonly capabilities: Params;
}

/** What every modern request says about itself. Without a level the server logs nothing for it. */
export function envelope(version: string, { info, capabilities }: Sender, logLevel?: McpLogLevel): Params {
  if (!isModernVersion(version)) throw new Fault("internal", `${version} has no envelope.`);
  return {
    "io.modelcontextprotocol/protocolVersion": version,
    "io.modelcontextprotocol/clientInfo": info,
    "io.modelcontextprotocol/clientCapabilities": capabilities,
    ...(logLevel === undefined ? {} : { "io.modelcontextprotocol/logLevel": logLevel }),
  };
}
