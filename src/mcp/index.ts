/** The protocol on its own: a server for both eras, without a socket, over stdio or over `node:http`; and a client. */
export type {
  AudioBlock,
  ContentAnnotations,
  ContentBlock,
  EmbeddedResourceBlock,
  Icon,
  ImageBlock,
  JsonSchema,
  ResourceContents,
  ResourceLinkBlock,
  TextBlock,
  Tool,
  ToolAnnotations,
  ToolResult,
} from "./messages/tool.ts";
export { errorResult, textBlock, textResult } from "./messages/tool.ts";
export type {
  GetPromptResult,
  Prompt,
  PromptArgument,
  PromptMessage,
  ReadResourceResult,
  Resource,
  ResourceTemplate,
} from "./messages/resources-and-prompts.ts";
export { logLevels } from "./messages/interim-messages.ts";
export type { Answer, ClientLogLine, McpLogLevel, Progress, Question } from "./messages/interim-messages.ts";
export type { ClientFacts } from "./messages/client-facts.ts";
export { type JsonRpcMessage, type JsonRpcResponse, parseMessage } from "./messages/json-rpc.ts";
export type {
  Completion,
  CompletionRequest,
  McpOffer,
  OfferChange,
  PromptOffer,
  RequestContext,
  ResourceOffer,
  ServerInfo,
  ToolOffer,
} from "./server/offer.ts";
export type { Peer, PeerOptions } from "./server/peer.ts";
export type { ReplyRoute } from "./server/served-request.ts";
export { answerMessage, createMcpServer, type McpServer, type McpServerOptions } from "./server/mcp-server.ts";
export { serveStdio, type StdioOptions } from "./stdio/serve-stdio.ts";
export { createHttpEndpoint, type HttpEndpoint, type HttpEndpointOptions } from "./http/http-endpoint.ts";
export type { CallOptions } from "./client/call-options.ts";
export { type Agreement, type McpClient, openMcpClient } from "./client/mcp-client.ts";
export { type HandshakeOptions, negotiate } from "./client/handshake.ts";
export type { ClientTransport } from "./client/client-transport.ts";
export { createHttpTransport, type HttpTransportOptions } from "./client/http-transport.ts";
export type { Abort, AbortListener } from "../core/lazy-abort.ts";
export { Fault, type FaultCode } from "../core/fault.ts";
