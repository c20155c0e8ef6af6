import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

/** A server that people use, from npm. None of them needs an account, or the network, to list its tools. */
export interface RealServer {
  readonly name: string;
  readonly package: string;
  readonly version: string;
  args?(folder: string): readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export const realServers: readonly RealServer[] = [
  {
    name: "filesystem",
    package: "@modelcontextprotocol/server-filesystem",
    version: "2026.8.31",
    args: (folder) => [folder],
  },
  { name: "memory", package: "@modelcontextprotocol/server-memory", version: "2026.8.31" },
  { name: "everything", package: "@modelcontextprotocol/server-everything", version: "2026.8.31" },
  { name: "git", package: "@cyanheads/git-mcp-server", version: "2.15.3" },
  { name: "github", package: "@modelcontextprotocol/server-github", version: "2025.4.8" },
  {
    name: "gitlab",
    package: "@modelcontextprotocol/server-gitlab",
    version: "2025.4.25",
    env: { GITLAB_PERSONAL_ACCESS_TOKEN: "none" },
  },
  {
    name: "slack",
    package: "@modelcontextprotocol/server-slack",
    version: "2025.4.25",
    env: { SLACK_BOT_TOKEN: "xoxb-none", SLACK_TEAM_ID: "T00000000" },
  },
  {
    name: "google-maps",
    package: "@modelcontextprotocol/server-google-maps",
    version: "0.6.2",
    env: { GOOGLE_MAPS_API_KEY: "none" },
  },
  { name: "playwright", package: "@playwright/mcp", version: "0.0.83" },
  { name: "chrome-devtools", package: "chrome-devtools-mcp", version: "1.11.0" },
  { name: "notion", package: "@notionhq/notion-mcp-server", version: "2.5.2", env: { NOTION_TOKEN: "ntn_none" } },
  { name: "chart", package: "@antv/mcp-server-chart", version: "0.9.10" },
  {
    name: "figma",
    package: "figma-developer-mcp",
    version: "0.13.2",
    args: () => ["--figma-api-key=none", "--stdio"],
  },
  { name: "context7", package: "@upstash/context7-mcp", version: "4.1.1" },
  { name: "tavily", package: "tavily-mcp", version: "0.2.22", env: { TAVILY_API_KEY: "none" } },
  { name: "firecrawl", package: "firecrawl-mcp", version: "3.26.0", env: { FIRECRAWL_API_KEY: "fc-none" } },
  { name: "kubernetes", package: "mcp-server-kubernetes", version: "4.1.7" },
  { name: "airtable", package: "airtable-mcp-server", version: "1.14.0", env: { AIRTABLE_API_KEY: "pat.none" } },
  { name: "hubspot", package: "@hubspot/mcp-server", version: "0.4.0", env: { PRIVATE_APP_ACCESS_TOKEN: "pat-none" } },
  {
    name: "circleci",
    package: "@circleci/mcp-server-circleci",
    version: "0.20.0",
    env: { CIRCLECI_TOKEN: "none" },
  },
];

/** What a configuration says of one of them. */
export interface StdioDefinition {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Installs them once, and returns the `servers` of a configuration. */
export function prepareServers(
  folder: string,
  servers: readonly RealServer[] = realServers,
  cache = "bench-servers",
): Record<string, StdioDefinition> {
  const modules = install(servers, cache);
  return Object.fromEntries(
    servers.map(({ name, package: id, args, env }) => [
      name,
      {
        command: process.execPath,
        args: [programOf(path.join(modules, ...id.split("/"))), ...(args?.(folder) ?? [])],
        env: { MEMORY_FILE_PATH: path.join(folder, "memory.jsonl"), ...env },
      },
    ]),
  );
}

/** Together, in one folder of `.cache`: many of their dependencies are the same. */
function install(servers: readonly RealServer[], cache: string): string {
  const home = path.resolve(import.meta.dirname, "..", "..", ".cache", cache);
  const wanted = JSON.stringify({
    private: true,
    dependencies: Object.fromEntries(servers.map((server) => [server.package, server.version])),
  });
  const complete = path.join(home, ".complete");
  if (!existsSync(complete) || readFileSync(complete, "utf8") !== wanted) {
    mkdirSync(home, { recursive: true });
    writeFileSync(path.join(home, "package.json"), wanted);
    console.error(`Installing ${servers.length} servers from npm (once; kept in .cache) …`);
    const PATH = [path.dirname(process.execPath), process.env.PATH].join(path.delimiter);
    const args = ["install", "--prefix", home, "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"];
    execFileSync("npm", args, { env: { ...process.env, PATH }, stdio: ["ignore", "ignore", "inherit"] });
    writeFileSync(complete, wanted);
  }
  return path.join(home, "node_modules");
}

function programOf(folder: string): string {
  const { bin } = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8")) as {
    bin: string | Record<string, string>;
  };
  return path.join(folder, typeof bin === "string" ? bin : Object.values(bin)[0]!);
}
