import { register } from "./register.ts";

/** The entry of the OpenClaw plugin `mcp-client`; see `openclaw.plugin.json`. */
export default {
  id: "mcp-client",
  name: "MCP Client",
  description: "Connect to remote MCP servers via Streamable HTTP with OAuth 2.1 auth",
  register,
};
