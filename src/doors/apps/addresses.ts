export interface AddressFacts {
  readonly publicUrl: string | undefined;
  readonly host: string | undefined;
  /** `X-Forwarded-Proto`, where whoever sent it is trusted. */
  readonly forwardedProto: string | undefined;
}

/** Where an app and a client find a session: under the public address, else where this request came in. */
export function addressesOf(sessionId: string, facts: AddressFacts): { bridge_url: string; mcp_url: string } {
  const base =
    facts.publicUrl ?? `${facts.forwardedProto === "https" ? "https" : "http"}://${facts.host ?? "localhost"}`;
  const http = base.replace(/\/+$/, "");
  const ws = http.replace(/^http/, "ws");
  return { bridge_url: `${ws}/v1/chat/sessions/${sessionId}/bridge`, mcp_url: `${http}/v1/mcp/${sessionId}` };
}
