import { expect, test } from "vitest";
import { parseConnectTarget, suggestName } from "./connect-target.ts";

test("an address, a command of several words, and a command in one piece", () => {
  expect(parseConnectTarget(["https://mcp.tavily.com/mcp"])).toEqual({ url: "https://mcp.tavily.com/mcp" });
  expect(parseConnectTarget(["npx", "-y", "a b"])).toEqual({ command: "npx", args: ["-y", "a b"] });
  expect(parseConnectTarget([`node server.js 'two words' "a \\"b\\"" c\\ d`])).toEqual({
    command: "node",
    args: ["server.js", "two words", 'a "b"', "c d"],
  });
});

test.each([
  [["http://example.com/mcp"], /must begin with https:\/\//],
  [["ftp://example.com"], /must begin with https:\/\//],
  [["https://user:pass@example.com"], /user name or a password/],
  [["https://"], /not a valid address/],
  [["https://example.com/mcp", "more"], /takes no arguments/],
  [["node 'server"], /not closed/],
  [[" "], /Name what to connect/],
])("%j is refused with the reason", (words, says) => {
  expect(() => parseConnectTarget(words)).toThrow(says);
});

test.each([
  ["https://mcp.tavily.com/mcp", "tavily"],
  ["https://api.githubcopilot.com/mcp/", "githubcopilot"],
  ["https://notion.so/mcp", "notion"],
  ["http://localhost:3001/mcp", "local-3001"],
  ["npx -y @modelcontextprotocol/server-filesystem /tmp", "filesystem"],
  ["npx -y @playwright/mcp@latest", "playwright"],
  ["uvx mcp-server-git --repository .", "git"],
  ["docker run -i --rm ghcr.io/github/github-mcp-server", "github"],
  ["node ./build/weather.mjs", "weather"],
  ["/opt/bin/my-tool", "my-tool"],
])("%s is called %s", (words, name) => {
  expect(suggestName(parseConnectTarget([words]), new Set())).toBe(name);
});

test("a name that is taken gets a number", () => {
  const target = parseConnectTarget(["https://mcp.tavily.com/mcp"]);
  expect(suggestName(target, new Set(["tavily", "tavily-2"]))).toBe("tavily-3");
});
