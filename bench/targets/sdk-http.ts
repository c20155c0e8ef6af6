import { createServer } from "node:http";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler } from "@modelcontextprotocol/server";
import { announce } from "./announce.ts";
import { createSdkServer } from "./sdk-server.ts";

const handle = toNodeHandler(createMcpHandler(() => createSdkServer(), { responseMode: "json" }));
// Their type for a request and exactOptionalPropertyTypes do not agree.
announce(createServer((request, response) => void handle(request as Parameters<typeof handle>[0], response)));
