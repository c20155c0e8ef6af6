import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { installPackage } from "../../conformance/install-package.ts";
import { type MockModel, startMockModel } from "../openclaw/bench/mock-model.ts";
import { serverCommand } from "./start-mcp-server.ts";

const run = promisify(execFile);
const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

let folder = "";
let model: MockModel;
let env: Record<string, string>;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "other-clients-"));
  model = await startMockModel();
  env = {
    PATH: process.env["PATH"] ?? "",
    HOME: folder,
    OPENCLAW_GATEWAY_PORT: "1",
    CLAWPORT_MODEL: "mock-1",
    CLAWPORT_MODEL_URL: model.baseUrl,
  };
});
afterEach(async () => {
  await model[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

describe.each(["legacy", "auto"] as const)("the official client, version 2, %s", (mode) => {
  test("orders, goes on with a conversation, and sends an image", async () => {
    const client = new Client({ name: "v2", version: "1" }, { versionNegotiation: { mode } });
    await client.connect(new StdioClientTransport({ ...serverCommand("--home", join(folder, "home")), env }));
    const order = async (args: Record<string, unknown>): Promise<string> =>
      JSON.stringify((await client.callTool({ name: "order_openclaw", arguments: args })).content);
    try {
      expect(await order({ message: "my colour is blue", sessionKey: "a" })).toContain("ECHO:my colour is blue");
      expect(await order({ message: "recall", sessionKey: "a" })).toContain("EARLIER=my colour is blue");
      expect(await order({ message: "recall" })).toContain('"EARLIER="');
      await order({ message: "look", images: [{ data: png, mimeType: "image/png" }] });
      expect(JSON.stringify(model.requests.at(-1))).toContain(png);
    } finally {
      await client.close();
    }
  });
});

test("the Inspector's command line hands over an order, and finds nothing wrong with the tool", async () => {
  const inspector = await installPackage("@modelcontextprotocol/inspector", "2.12.0", "inspector");
  const launcher = join(inspector, "clients", "launcher", "build", "index.js");
  const { command, args } = serverCommand("--home", join(folder, "home"));
  const inspect = async (...options: string[]): Promise<string> => {
    const target = ["--cli", command, ...args, "--format", "json", ...options];
    const given = Object.entries(env).flatMap(([name, value]) => ["-e", `${name}=${value}`]);
    return (await run(process.execPath, [launcher, ...target, ...given], { env })).stdout;
  };
  expect(await inspect("--method", "tools/list", "--strict")).toContain("order_openclaw");
  const call = ["--method", "tools/call", "--tool-name", "order_openclaw", "--tool-arg", "message=hello"];
  expect(await inspect(...call)).toContain("ECHO:hello");
}, 240_000);
