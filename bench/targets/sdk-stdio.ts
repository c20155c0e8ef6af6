import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { createSdkServer } from "./sdk-server.ts";

serveStdio(() => createSdkServer());
