import { createServer } from "node:http";
import { toNodeHandler } from "@modelcontextprotocol/node";
import {
  createMcpHandler,
  McpServer,
  OAuthError,
  OAuthErrorCode,
  requireBearerAuth,
} from "@modelcontextprotocol/server";
import { listenHere } from "../listen-here.ts";
import * as z from "zod";
import type { AuthorizationServer } from "./authorization-server.ts";

/** A real MCP server that lets nobody in without a token of its authorization server, meant for it. */
export interface ProtectedServer extends AsyncDisposable {
  readonly url: string;
  /** The tokens that were shown to it, in order. */
  readonly seen: string[];
  /** Statuses of its answers, in order. */
  readonly statuses: number[];
  /** Lets the next so many requests wait for each other; then does `work`, and only then looks at their tokens. */
  gather(count: number, work: () => Promise<void>): void;
}

/** `read` needs the scope mcp:read, `write` also mcp:write. */
export async function startProtectedServer(
  authority: Pick<AuthorizationServer, "issuer" | "find">,
): Promise<ProtectedServer> {
  const server = createServer();
  const listening = await listenHere(server);
  const { origin } = listening;
  const url = `${origin}/mcp`;
  const metadataUrl = `${origin}/.well-known/oauth-protected-resource/mcp`;
  const seen: string[] = [];
  const statuses: number[] = [];

  let gathering:
    | { left: number; readonly all: PromiseWithResolvers<void>; readonly work: () => Promise<void> }
    | undefined;

  async function waitForOthers(): Promise<void> {
    if (gathering === undefined || gathering.left === 0) return;
    const { all, work } = gathering;
    if (--gathering.left === 0) work().then(all.resolve, all.reject);
    await all.promise;
  }

  const verifier = {
    async verifyAccessToken(token: string) {
      seen.push(token);
      await waitForOthers();
      const found = await authority.find(token);
      if (!found?.audience.includes(url))
        throw new OAuthError(OAuthErrorCode.InvalidToken, "not a token for this server");
      return { token, clientId: found.clientId, scopes: found.scopes, expiresAt: found.expiresAt };
    },
  };
  const gate = (scope: string) =>
    requireBearerAuth({ verifier, requiredScopes: [scope], resourceMetadataUrl: metadataUrl });
  const mcp = createMcpHandler(createTools);

  const handle = toNodeHandler({
    async fetch(request: Request): Promise<Response> {
      const { pathname } = new URL(request.url);
      if (pathname === "/.well-known/oauth-protected-resource/mcp")
        return Response.json({
          resource: url,
          authorization_servers: [authority.issuer],
          scopes_supported: ["mcp:read"],
        });
      if (pathname !== "/mcp") return new Response("", { status: 404 });
      const auth = await gate((await isWrite(request)) ? "mcp:write" : "mcp:read")(request);
      const response = auth instanceof Response ? auth : await mcp.fetch(request, { authInfo: auth });
      statuses.push(response.status);
      return response;
    },
  });
  server.on("request", (request, response) => void handle(request as Parameters<typeof handle>[0], response));
  return {
    url,
    seen,
    statuses,
    gather(count, work) {
      gathering = { left: count, all: Promise.withResolvers(), work };
    },
    [Symbol.asyncDispose]: () => listening[Symbol.asyncDispose](),
  };
}

async function isWrite(request: Request): Promise<boolean> {
  const text = await request.clone().text();
  return /"method":"tools\/call"/.test(text) && /"name":"write"/.test(text);
}

function createTools(): McpServer {
  const server = new McpServer({ name: "protected", version: "1" });
  const inputSchema = z.object({});
  server.registerTool("read", { inputSchema, annotations: { readOnlyHint: true } }, async (_, { http }) => ({
    content: [{ type: "text", text: `read with ${http?.authInfo?.scopes.join(" ")}` }],
  }));
  server.registerTool("write", { inputSchema }, async () => ({ content: [{ type: "text", text: "written" }] }));
  return server;
}
