import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { anyClient, importableClients } from "./client-table.ts";
import type { ClientFileContext, ImportedServer, ImportReading } from "./imported-server.ts";

const samples = new URL("../../../../tests/import/", import.meta.url);
const user: ClientFileContext = { folder: "/home/ann/shop", scope: "user", homedir: "/home/ann" };
const project: ClientFileContext = { ...user, scope: "project" };

async function read(client: string, text: string, around = user): Promise<ImportReading> {
  return (importableClients.find(({ id }) => id === client) ?? anyClient).import.read(text, around);
}

async function readSample(client: string, path: string): Promise<ImportReading> {
  const text = await readFile(new URL(path, samples), "utf8");
  return read(client, text, path.startsWith("project") ? project : user);
}

function serversOf({ taken }: ImportReading): Record<string, ImportedServer> {
  return Object.fromEntries(taken.map(({ name, server }) => [name, server]));
}

function notesOf({ taken }: ImportReading): Record<string, readonly string[]> {
  return Object.fromEntries(taken.filter(({ notes }) => notes.length > 0).map(({ name, notes }) => [name, notes]));
}

test("Claude Code: the servers of the user and of each project", async () => {
  const { taken, skipped } = await readSample("claude-code", "home/.claude.json");
  expect(taken.map(({ name, project, server }) => [name, project, server])).toEqual([
    [
      "sentry",
      undefined,
      {
        url: "https://mcp.sentry.dev/mcp",
        auth: { clientId: "clawport-test", scopes: ["org:read", "project:read"] },
      },
    ],
    [
      "github",
      undefined,
      {
        command: "npx",
        args: ["-y", "@modelcontextprotocol/server-github"],
        env: { GITHUB_PERSONAL_ACCESS_TOKEN: "ghp_0123456789abcdefghij0123456789abcdef" },
      },
    ],
    ["asana", undefined, { url: "https://mcp.asana.com/sse" }],
    ["clawport", undefined, { url: "http://127.0.0.1:8765/mcp" }],
    [
      "database",
      "/home/ann/shop",
      {
        enabled: false,
        command: "./bin/db-server",
        args: ["--dsn", "${SHOP_DSN:-postgres://localhost/shop}"],
        cwd: "/home/ann/shop",
      },
    ],
    ["github", "/home/ann/shop", { url: "https://api.githubcopilot.com/mcp/" }],
  ]);
  expect(skipped).toEqual([{ name: "live", reason: "uses the transport ws, which Clawport does not support" }]);
});

test("Claude Code: a project's .mcp.json with references, and dollar signs that are not references", async () => {
  const reading = await readSample("claude-code", "project/.mcp.json");
  expect(serversOf(reading)).toEqual({
    api: {
      url: "${API_BASE_URL:-https://api.example.com}/mcp",
      headers: { Authorization: "Bearer ${API_KEY}", "X-Price": "5$ a $$day" },
      requestTimeoutMs: 120_000,
    },
    local: {
      command: "node",
      args: ["./tools/server.js"],
      env: { CACHE_DIR: "${CACHE_DIR}" },
      cwd: "/home/ann/shop",
    },
  });
  expect(notesOf(reading)).toEqual({
    api: [expect.stringContaining("headersHelper is not run") as string, "left out: alwaysLoad"],
  });
});

test("Claude Desktop: dollar signs are kept, and bridges are pointed out", async () => {
  const reading = await readSample("claude-desktop", "home/.config/Claude/claude_desktop_config.json");
  expect(serversOf(reading)).toMatchObject({
    filesystem: { command: "npx", args: ["-y", "@modelcontextprotocol/server-filesystem", "/home/ann/Desktop"] },
    price$: { args: ["prices", "--currency", "$$USD", "--pattern", "^a$", "$${x}", "$$$"] },
  });
  expect(notesOf(reading)).toEqual({ linear: [expect.stringContaining("by its `url`") as string] });
  expect(reading.skipped).toEqual([{ name: "broken", reason: "has neither a command nor a URL" }]);
});

test("Cursor: references to the environment, the home and the workspace", async () => {
  const reading = await readSample("cursor", "home/.cursor/mcp.json");
  expect(serversOf(reading)).toEqual({
    github: {
      command: "npx",
      args: ["-y", "@modelcontextprotocol/server-github"],
      env: { GITHUB_PERSONAL_ACCESS_TOKEN: "${GITHUB_TOKEN}" },
    },
    docs: { url: "${DOCS_URL}", headers: { "X-Home": "/home/ann", "X-Project": "shop" } },
    design: {
      url: "https://mcp.design.example.com/mcp",
      auth: { clientId: "${DESIGN_CLIENT_ID}", clientSecret: "${DESIGN_CLIENT_SECRET}", scopes: ["read", "write"] },
    },
  });
  expect(notesOf(reading)).toEqual({ docs: ["${workspaceFolderBasename} was replaced with /home/ann/shop"] });
  expect(reading.skipped).toMatchObject([{ name: "intranet", reason: expect.stringContaining("https://") as string }]);
});

test("Cursor: the workspace of a project's file is the project, and an envFile is not read", async () => {
  const reading = await readSample("cursor", "project/.cursor/mcp.json");
  expect(serversOf(reading)).toEqual({ python: { command: "python", args: ["/home/ann/shop/tools/server.py"] } });
  expect(notesOf(reading)).toEqual({
    python: ["its envFile /home/ann/shop/.env is not read; put the variables that the server needs into env"],
  });
});

test("VS Code: comments, inputs that become variables, and references that only the editor can resolve", async () => {
  const reading = await readSample("vscode", "home/.config/Code/User/mcp.json");
  expect(serversOf(reading)).toEqual({
    "Perplexity Search": {
      command: "npx",
      args: ["-y", "server-perplexity-ask"],
      env: { PERPLEXITY_API_KEY: "${PERPLEXITY_KEY}", LEVEL: "3" },
    },
    fetch: { command: "uvx", args: ["mcp-server-fetch"], cwd: "/home/ann/shop/tmp" },
  });
  expect(notesOf(reading)["Perplexity Search"]).toEqual([
    'its editor asks for the input "perplexity-key"; set the environment variable PERPLEXITY_KEY instead',
  ]);
  expect(reading.skipped).toEqual([
    { name: "ask", reason: expect.stringContaining("${command:pick.one}") as string },
    { name: "socket", reason: "url must begin with https://" },
  ]);
});

test("VS Code: servers in settings.json, nested or with a dot in the key, and those of a project", async () => {
  const time = { command: "python", args: ["-m", "mcp_server_time", "--local-timezone=Europe/Berlin"] };
  expect(serversOf(await readSample("vscode", "home/.config/Code/User/settings.json"))).toEqual({ time });
  expect(serversOf(await read("vscode", JSON.stringify({ "mcp.servers": { time } })))).toEqual({ time });
  expect(serversOf(await readSample("vscode", "project/.vscode/mcp.json"))).toEqual({
    playwright: { command: "npx", args: ["-y", "@microsoft/mcp-server-playwright"] },
    builder: { command: "/home/ann/shop/node_modules/.bin/builder", args: ["mcp"] },
  });
});

test("Codex: TOML with variables to pass on, header variables, timeouts and filters", async () => {
  const reading = await readSample("codex", "home/.codex/config.toml");
  expect(serversOf(reading)).toEqual({
    context7: {
      command: "npx",
      args: ["-y", "@upstash/context7-mcp"],
      env: { LOCAL_TOKEN: "${LOCAL_TOKEN:-}", REMOTE_TOKEN: "${REMOTE_TOKEN:-}", MY_ENV_VAR: "a $$literal value" },
      connectTimeoutMs: 20_500,
      requestTimeoutMs: 45_000,
    },
    figma: {
      url: "https://mcp.figma.com/mcp",
      apiKey: "${FIGMA_OAUTH_TOKEN}",
      headers: { "X-Figma-Region": "us-east-1", "X-Figma-Team": "${FIGMA_TEAM}" },
      tools: { include: ["get_design", "get_code"], exclude: ["get_code"] },
    },
    off: { enabled: false, command: "docker", args: ["run", "-i", "--rm", "mcp/off"] },
  });
  expect(notesOf(reading)).toEqual({ figma: ["left out: default_tools_approval_mode"] });
});

test("Windsurf: serverUrl, disabled servers and disabled tools", async () => {
  const reading = await readSample("windsurf", "home/.codeium/windsurf/mcp_config.json");
  expect(serversOf(reading)).toEqual({
    "remote-api": {
      url: "https://api.example.com/mcp",
      headers: { API_KEY: "Bearer ${AUTH_TOKEN}" },
      tools: { exclude: ["delete_everything"] },
    },
    asleep: { enabled: false, command: "npx", args: ["-y", "asleep-mcp"] },
  });
  expect(reading.skipped).toEqual([{ name: "from-file", reason: expect.stringContaining("${file:") as string }]);
});

test("Gemini CLI: shell references, filters, exclusions and headers that Clawport sets itself", async () => {
  const reading = await readSample("gemini", "home/.gemini/settings.json");
  expect(serversOf(reading)).toEqual({
    pythonTools: {
      command: "python",
      args: ["-m", "my_mcp_server", "--port", "8080"],
      env: { DATABASE_URL: "${DB_CONNECTION_STRING}", API_KEY: "${EXTERNAL_API_KEY}" },
      cwd: "/home/ann/shop/mcp-servers/python",
      requestTimeoutMs: 15_000,
    },
    nodeServer: { enabled: false, command: "node", args: ["/srv/server.js"] },
    httpServer: {
      url: "http://localhost:3000/mcp",
      headers: { Authorization: "Bearer your-api-token" },
      tools: { include: ["safe_tool", "file_reader"], exclude: ["file_deleter"] },
    },
  });
  expect(notesOf(reading)["httpServer"]).toEqual([
    "the header Content-Type was left out: Clawport sets it itself",
    "headers.Authorization holds a secret in plain text; use $HTTP_SERVER_AUTHORIZATION from the environment instead",
  ]);
  expect(reading.skipped).toMatchObject([{ name: "googleCloudServer" }]);
});

test("OpenClaw: JSON5, its escapes, certificates, filters and references as objects", async () => {
  const reading = await readSample("openclaw", "home/.openclaw/openclaw.json");
  expect(serversOf(reading)).toEqual({
    context7: { command: "uvx", args: ["context7-mcp"] },
    docs: {
      url: "https://mcp.example.com/mcp",
      headers: { "X-Token": "${DOCS_TOKEN}", "X-Literal": "$${NOT_ME} and $${nor_me}" },
      tls: { cert: "/etc/mcp/client.crt", key: "/etc/mcp/client.key" },
      auth: { scopes: ["docs.read"] },
      tools: { include: ["search_*"], exclude: ["admin_*"] },
      connectTimeoutMs: 5000,
      requestTimeoutMs: 20_000,
    },
    work: { command: "work-mcp", env: { KEY: "${WORK_KEY}" }, cwd: "/home/ann/work" },
  });
  expect(notesOf(reading)).toEqual({
    docs: [expect.stringContaining("certificate will be checked") as string, "left out: codex"],
  });
});

test.each(["openclaw", "file"])("%s: the servers of the plugin mcp-client are taken as they are", async (client) => {
  const reading = await readSample(client, "home/plugin/openclaw.json");
  expect(serversOf(reading)).toEqual({
    context7: { command: "uvx", args: ["context7-mcp"] },
    tavily: { enabled: true, url: "https://mcp.tavily.com/mcp", apiKey: "tvly-xxxxx" },
    "github-mcp": {
      enabled: true,
      url: "https://mcp.github.com/mcp",
      auth: { clientId: "my-registered-client-id" },
      toolPrefix: "gh",
    },
    "local-filesystem": {
      enabled: true,
      transport: "stdio",
      command: "npx",
      args: ["-y", "@modelcontextprotocol/server-filesystem", "/tmp"],
    },
    "private-corp-server": {
      enabled: true,
      url: "https://mcp.internal.corp.com/mcp",
      auth: { clientId: "openclaw-prod", clientSecret: "secret-from-vault", scopes: ["read", "write"] },
    },
  });
  expect(notesOf(reading)["private-corp-server"]).toEqual([
    expect.stringContaining("auth.clientSecret holds a secret"),
  ]);
  expect(reading.skipped).toEqual([{ name: "typo", reason: expect.stringContaining("comand") as string }]);
});

test("OpenClaw: entries that our plugin wrote are left out, since they lead back to it", async () => {
  const ours = { url: "http://127.0.0.1:8765/mcp/a", codex: { agents: ["not-for-codex"] } };
  const reading = await read("openclaw", JSON.stringify({ mcp: { servers: { a: ours, b: { command: "x" } } } }));
  expect(serversOf(reading)).toEqual({ b: { command: "x" } });
  expect(reading.skipped).toEqual([]);
});

test("OpenClaw: the servers of a plugin that is disabled are disabled", async () => {
  const entry = { enabled: false, config: { servers: { a: { enabled: true, command: "x" } } } };
  const reading = await read("openclaw", JSON.stringify({ plugins: { entries: { "mcp-client": entry } } }));
  expect(serversOf(reading)).toEqual({ a: { enabled: false, command: "x" } });
});

test.each([
  ["openclaw", "{ mcp: { servers: { a: { command: 'x', }, }, }, } // JSON5"],
  ["vscode", '{ "servers": { "a": { "command": "x", }, /* trailing commas */ }, }'],
])("%s: its files need not be strict JSON", async (client, text) => {
  expect(serversOf(await read(client, text))).toEqual({ a: { command: "x" } });
});

test("mcporter: its names for addresses, keys, commands and OAuth", async () => {
  expect(serversOf(await readSample("mcporter", "home/.mcporter/mcporter.json"))).toEqual({
    linear: {
      url: "https://mcp.linear.app/mcp",
      headers: { Authorization: "${LINEAR_API_KEY}" },
      tools: { include: ["list_issues"] },
    },
    vercel: { url: "https://mcp.vercel.com", apiKey: "${VERCEL_TOKEN}" },
    chrome: {
      command: "npx",
      args: ["-y", "chrome-devtools-mcp@latest"],
      env: { CHROME: "${CHROME_PATH:-/usr/bin/chromium}" },
    },
    app: {
      url: "https://app.example.com/mcp",
      auth: { clientId: "app-1", clientSecret: "${APP_SECRET}", scopes: ["read", "write"] },
    },
  });
});

test.each([
  ["codex", "[mcp_servers", /^Not valid TOML: /],
  ["cursor", "{ mcpServers: ", /^Not valid JSON: /],
])("a broken file of %s is a fault that says so", async (client, text, message) => {
  await expect(read(client, text)).rejects.toThrow(message);
});

test.each(importableClients.map(({ id }) => id))("an empty file of %s gives nothing", async (id) => {
  expect(await read(id, "")).toEqual({ taken: [], skipped: [] });
});

test.each(importableClients.map(({ id }) => id).filter((id) => id !== "codex"))(
  "a file of %s without servers gives nothing",
  async (id) => {
    for (const text of ['{"mcpServers": null, "mcp": 1, "projects": {"/a": null}}', "[]", '{"mcpServers": []}']) {
      expect(await read(id, text)).toEqual({ taken: [], skipped: [] });
    }
  },
);
