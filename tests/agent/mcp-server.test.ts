import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { megabyte } from "../../src/core/text/size-text.ts";
import { orderTool } from "../../src/sources/agent/order/order-tool.ts";
import { clawport, makePlace } from "../support/cli/run-clawport.ts";
import { until } from "../support/until.ts";
import { serverCommand, startMcpServer, textOf } from "../support/start-mcp-server.ts";

const png = Buffer.from("\x89PNG\r\n\x1A\n\0\0\0\0", "latin1").toString("base64");
const images = (count: number) => Array.from({ length: count }, () => ({ data: png, mimeType: "image/png" }));

function pdf(bytes: number): { data: string; mimeType: string; filename: string } {
  const content = Buffer.alloc(bytes, 1);
  content.write("%PDF-1.4\n");
  return { data: content.toString("base64"), mimeType: "application/pdf", filename: "report.pdf" };
}

test("the one tool is listed as published, and answers", async () => {
  await using server = await startMcpServer();
  const { tools } = await server.client.listTools();
  expect(tools).toEqual([{ ...orderTool }]);
  const result = await server.order({ message: "/help" });
  expect(result.isError).toBe(false);
  expect(textOf(result)).toContain("/call <tool> <json>");
  expect(result._meta).toMatchObject({ "clawport/sessionKey": expect.stringMatching(/^mcp-\d+-[0-9a-f]+$/) });
});

test("without an agent, free text is answered with the ways to get one", async () => {
  await using server = await startMcpServer();
  const result = await server.order({ message: "do my taxes" });
  expect(result.isError).toBe(true);
  expect(textOf(result)).toMatch(/^Error: No agent.*openclaw gateway.*CLAWPORT_MODEL/s);
});

test("a mistake in the configuration is an error like any other", async () => {
  await using server = await startMcpServer({ config: { agent: { backend: "nonsense" } } });
  const result = await server.order({ message: "/help" });
  expect(result.isError).toBe(true);
  expect(textOf(result)).toMatch(/^Error: .*agent\.backend must be one of/s);
});

test("a gateway that was named and does not answer is reported with its address", async () => {
  await using server = await startMcpServer({ args: ["--gateway", "ws://127.0.0.1:1"] });
  expect(textOf(await server.order({ message: "x" }))).toMatch(
    /^Error: OpenClaw's gateway does not answer at ws:\/\/127\.0\.0\.1:1 \(from --gateway\).*openclaw gateway/s,
  );
});

test.each(["mcp-server", "agent"])("%s rejects an invalid gateway address at its start", async (command) => {
  await using place = await makePlace();
  for (const address of ["http://127.0.0.1:1", "nonsense", ""]) {
    const { exit, err } = await clawport(place, command, ...(command === "agent" ? ["hi"] : []), "--gateway", address);
    expect([exit, err]).toEqual([2, expect.stringContaining("--gateway must start with ws:// or wss://")]);
  }
});

test("the limits are exact, and no file of an order is left behind", async () => {
  await using server = await startMcpServer();
  expect((await server.order({ message: "/help", files: [pdf(15 * megabyte)] })).isError).toBe(false);
  const over = await server.order({ message: "/help", files: [pdf(15 * megabyte + 1)] });
  expect(textOf(over)).toContain(
    'files[0] ("report.pdf"): at most 15 MB are allowed, but it has 15.00 MB (15728641 bytes)',
  );
  expect((await server.order({ message: "/help", images: images(10) })).isError).toBe(false);
  const many = await server.order({ message: "/help", images: images(11) });
  expect(textOf(many)).toContain("images: at most 10 are allowed, but there are 11");
  expect(await server.leftovers()).toEqual([]);
});

test("wrong arguments are answers that begin with 'Error:'", async () => {
  await using server = await startMcpServer();
  expect(textOf(await server.order({}))).toBe('Error: Nothing was sent to OpenClaw: "message" must be a string.');
});

test("a message that was written to a file is read back exactly, escapes included", async () => {
  await using server = await startMcpServer();
  const result = await server.order({ message: `/ü"\\ ${'"\\\n'.repeat(30_000)}` });
  expect(textOf(result)).toBe('Error: There is no command "/ü"\\". Send `/help` to list the commands.');
});

test("every order is in the audit, without its key", async () => {
  await using server = await startMcpServer();
  await server.order({ message: "/help", sessionKey: "my-secret-key" });
  await server.client.close();
  const lines = await readFile(join(server.home, "audit", "calls.jsonl"), "utf8");
  expect(JSON.parse(lines)).toMatchObject({ door: "mcp-stdio", tool: "order_openclaw", session: expect.any(String) });
  expect(lines).not.toContain("my-secret-key");
});

test("verbose logging goes to stderr and leaves stdout to the protocol", async () => {
  await using server = await startMcpServer({ args: ["--verbose"] });
  await server.order({ message: "/help", sessionKey: "my-secret-key" });
  expect(server.log()).toContain("an order came in");
  await server.order({ message: "/secret-command", sessionKey: "my-secret-key" });
  await until(() => server.log().includes("an order failed"));
  expect(server.log()).not.toContain("secret-command");
  expect(server.log()).not.toContain("my-secret-key");
});

test("it ends when the client disconnects", async () => {
  const { command, args } = serverCommand("--home", "/nonexistent/nowhere");
  const child = spawn(command, args, { stdio: ["pipe", "ignore", "inherit"] });
  child.stdin.end();
  const [code] = await once(child, "exit");
  expect(code).toBe(0);
});

test("--version and --help answer without serving", () => {
  const { command, args } = serverCommand("--version");
  expect(spawnSync(command, args, { encoding: "utf8" }).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  const help = spawnSync(command, serverCommand("-h").args, { encoding: "utf8" }).stdout;
  for (const option of ["--verbose", "--version", "--help", "--gateway", "--agent"]) expect(help).toContain(option);
});
