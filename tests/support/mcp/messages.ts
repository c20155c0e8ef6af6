/** A message on the wire, loosely typed: tests look into it and compare. */
export interface Wire {
  readonly jsonrpc?: string;
  readonly id?: string | number | null;
  readonly method?: string;
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly params?: any;
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly result?: any;
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly error?: any;
}

export const modernVersion = "2026-07-28";

export interface ModernFacts {
  readonly capabilities?: object;
  /** More `_meta`. */
  readonly meta?: object;
}

/** Params with the `_meta` every request of the modern era carries. */
export function modernParams(params: object = {}, { capabilities = {}, meta = {} }: ModernFacts = {}): object {
  return {
    ...params,
    _meta: {
      "io.modelcontextprotocol/protocolVersion": modernVersion,
      "io.modelcontextprotocol/clientCapabilities": capabilities,
      ...meta,
    },
  };
}

export const withTasks = { extensions: { "io.modelcontextprotocol/tasks": {} } };

export function initialize(protocolVersion: string, capabilities: object = {}): object {
  return { protocolVersion, capabilities, clientInfo: { name: "tester", version: "1" } };
}
