import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { installPackage } from "../../conformance/install-package.ts";
import { type MockModel, startMockModel } from "../support/mock-model.ts";
import { serverCommand, startMcpServer, writeHome } from "../support/start-mcp-server.ts";
import { program } from "../setup/programs.ts";

const run = promisify(execFile);
const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

let folder = "";
let home = "";
let model: MockModel;
let env: Record<string, string>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "other-clients-"));
  model = await startMockModel();
  const servers = { media: { command: process.execPath, args: [program("tests/agent/media-server.ts")] } };
  home = join(folder, "home");
  await writeHome(home, { servers });
  env = {
    PATH: process.env["PATH"] ?? "",
    HOME: folder,
    OPENCLAW_GATEWAY_PORT: "1",
    CLAWPORT_MODEL: "mock-1",
    CLAWPORT_MODEL_URL: model.baseUrl,
  };
});
afterAll(async () => {
  await model[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

/** One of the official clients, connected to our server. */
interface OpenedClient {
  order(args: Record<string, unknown>): Promise<readonly unknown[]>;
  close(): Promise<void>;
}

async function openV2(mode: "legacy" | "auto"): Promise<OpenedClient> {
  const client = new Client({ name: "v2", version: "1" }, { versionNegotiation: { mode } });
  await client.connect(new StdioClientTransport({ ...serverCommand("--home", home), env }));
  return {
    order: async (args) => (await client.callTool({ name: "order_openclaw", arguments: args })).content,
    close: () => client.close(),
  };
}

async function openV1(): Promise<OpenedClient> {
  const server = await startMcpServer({ env, home });
  return {
    order: async (args) => (await server.order(args)).content,
    close: async () => server[Symbol.asyncDispose](),
  };
}

describe.each([
  ["version 1", openV1],
  ["version 2, legacy", () => openV2("legacy")],
  ["version 2, auto", () => openV2("auto")],
])("the official client, %s", (name, open) => {
  let client: OpenedClient;

  beforeAll(async () => {
    client = await open();
  });
  afterAll(() => client.close());

  const order = async (args: Record<string, unknown>): Promise<string> => JSON.stringify(await client.order(args));

  test("places orders and continues a conversation, separate from others", async () => {
    expect(await order({ message: "my colour is blue", sessionKey: name })).toContain("ECHO:my colour is blue");
    expect(await order({ message: "recall", sessionKey: name })).toContain("EARLIER=my colour is blue");
    expect(await order({ message: "recall" })).toContain('"EARLIER="');
    expect(await order({ message: "fail" })).toContain("Error: The model mock-1 did not answer");
  }, 60_000);

  test("sends each kind of media", async () => {
    const item = (mimeType: string) => ({ data: Buffer.from(`some ${mimeType}`).toString("base64"), mimeType });
    const images = [
      { data: png, mimeType: "image/png" },
      ...["jpeg", "gif", "webp"].map((kind) => item(`image/${kind}`)),
    ];
    const files = ["application/pdf", "text/csv", "audio/wav", "video/mp4", "application/zip"].map(item);
    expect(await order({ message: "look", images, files })).toContain("ECHO:");
    const asked = JSON.stringify(model.requests.at(-1));
    for (const { data, mimeType } of images) expect(asked).toContain(`data:${mimeType};base64,${data}`);
    expect(asked).toContain(files[0]!.data);
    expect(asked).toContain("some text/csv");
    for (const kind of ["audio/wav", "video/mp4", "application/zip"]) expect(asked).toContain(`, ${kind}, `);
  }, 60_000);

  test("gets each kind of media back", async () => {
    const [image, audio, file, text] = await client.order({ message: "call:media__each {}" });
    expect(image).toEqual({ type: "image", data: "cG5n", mimeType: "image/png" });
    expect(audio).toEqual({ type: "audio", data: "bXAz", mimeType: "audio/mpeg" });
    const uri = "attachment://my%20report.pdf";
    expect(file).toEqual({ type: "resource", resource: { uri, mimeType: "application/pdf", blob: "cGRm" } });
    expect(text).toMatchObject({ type: "text", text: expect.stringContaining("GOT=") });
  }, 60_000);

  test("gets an error just beyond each limit", async () => {
    const many = (count: number, mimeType: string) => Array.from({ length: count }, () => ({ data: "YQ==", mimeType }));
    expect(await order({ message: "x", files: many(5, "text/plain") })).toContain("ECHO:");
    expect(await order({ message: "x", files: many(6, "text/plain") })).toContain(
      "at most 5 are allowed, but there are 6",
    );
    expect(await order({ message: "x", images: many(11, "image/png") })).toContain(
      "at most 10 are allowed, but there are 11",
    );
    expect(await order({ message: "x", images: [{ data: "YQ", mimeType: "image/png" }] })).toContain("is not base64");
  }, 60_000);
});

test("the Inspector's command line places an order, and finds nothing wrong with the tool", async () => {
  const inspector = await installPackage("@modelcontextprotocol/inspector", "2.12.0", "inspector");
  const launcher = join(inspector, "clients", "launcher", "build", "index.js");
  const { command, args } = serverCommand("--home", home);
  const inspect = async (...options: string[]): Promise<string> => {
    const target = ["--cli", command, ...args, "--format", "json", ...options];
    const given = Object.entries(env).flatMap(([name, value]) => ["-e", `${name}=${value}`]);
    return (await run(process.execPath, [launcher, ...target, ...given], { env })).stdout;
  };
  expect(await inspect("--method", "tools/list", "--strict")).toContain("order_openclaw");
  const call = ["--method", "tools/call", "--tool-name", "order_openclaw", "--tool-arg", "message=hello"];
  expect(await inspect(...call)).toContain("ECHO:hello");
}, 240_000);
