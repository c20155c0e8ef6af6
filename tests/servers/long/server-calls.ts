import { type RealServer, realServers } from "../../../bench/tokens/real-servers.ts";
import type { HarmlessCall } from "../real/compare-server.ts";

/** Two browsers at the same time need two profiles. */
const browserArgs = ["--headless", "--isolated"];
const browsers = new Set(["playwright", "chrome-devtools"]);

/** Those of the benchmark, and five more. */
const all: readonly RealServer[] = [
  ...realServers.map((server) => (browsers.has(server.name) ? { ...server, args: () => browserArgs } : server)),
  { name: "thinking", package: "@modelcontextprotocol/server-sequential-thinking", version: "2026.8.31" },
  {
    name: "everart",
    package: "@modelcontextprotocol/server-everart",
    version: "0.6.2",
    env: { EVERART_API_KEY: "none" },
  },
  { name: "code-runner", package: "mcp-server-code-runner", version: "0.1.8" },
  { name: "eslint", package: "@eslint/mcp", version: "0.3.13" },
  { name: "exa", package: "exa-mcp-server", version: "3.4.1", env: { EXA_API_KEY: "none" } },
];

const noNetwork = `--import=${new URL("no-network.ts", import.meta.url).href}`;

export const servers = all.map((server) => ({ ...server, env: { ...server.env, NODE_OPTIONS: noNetwork } }));

export const files = { "note.txt": "hello\n", "note.js": "let a = 1;\n", "eslint.config.mjs": "export default [];\n" };

/** One call for each. Those that would need the network fail. */
export function callsIn(folder: string): Readonly<Record<string, HarmlessCall>> {
  const thought = { thought: "Two ways, one answer.", thoughtNumber: 1, totalThoughts: 1, nextThoughtNeeded: false };
  const page = { pagetype: "index", objectTypeId: "0-1" };
  return {
    filesystem: { tool: "read_text_file", args: { path: `${folder}/note.txt` } },
    memory: { tool: "search_nodes", args: { query: "crab" } },
    everything: { tool: "get-structured-content", args: { location: "Chicago" } },
    git: { tool: "git_status", args: { path: folder } },
    github: { tool: "search_repositories", args: { query: "mcp" } },
    gitlab: { tool: "search_repositories", args: { search: "mcp" } },
    slack: { tool: "slack_list_channels", args: { limit: 1 } },
    "google-maps": { tool: "maps_geocode", args: { address: "Bremen" } },
    playwright: { tool: "browser_close" },
    "chrome-devtools": { tool: "list_pages" },
    notion: { tool: "API-get-self" },
    chart: { tool: "generate_pie_chart", args: { data: [{ category: "a", value: 1.5 }] } },
    figma: { tool: "get_figma_data", args: { fileKey: "none" } },
    context7: { tool: "resolve-library-id", args: { query: "hooks", libraryName: "react" } },
    tavily: { tool: "tavily_search", args: { query: "mcp" } },
    firecrawl: { tool: "firecrawl_check_crawl_status", args: { id: "none" } },
    kubernetes: { tool: "kubectl_context", args: { operation: "list" } },
    airtable: { tool: "list_tables", args: { baseId: "none" } },
    hubspot: { tool: "hubspot-get-link", args: { portalId: "1", uiDomain: "app.hubspot.com", pageRequests: [page] } },
    circleci: { tool: "list_followed_projects", args: { params: {} } },
    thinking: { tool: "sequentialthinking", args: thought },
    everart: { tool: "generate_image", args: { prompt: "a crab" } },
    "code-runner": { tool: "run-code", args: { languageId: "javascript", code: "console.log(6 * 7)" } },
    eslint: { tool: "lint-files", args: { filePaths: [`${folder}/note.js`] } },
    exa: { tool: "web_search_exa", args: { query: "mcp" } },
  };
}
