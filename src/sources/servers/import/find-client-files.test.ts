import { mkdir, mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { expect, test } from "vitest";
import { clientFileOf, findClientFiles, type HostEnvironment } from "./find-client-files.ts";

async function makeFiles(folder: string, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), "{}");
  }
}

function found(folder: string, machine: Partial<HostEnvironment>): string[] {
  const whole = { homedir: join(folder, "home"), cwd: join(folder, "work"), platform: "linux", env: {}, ...machine };
  return findClientFiles(whole).map(({ client, path, scope }) => `${client.id} ${scope} ${relative(folder, path)}`);
}

const everywhere = [
  "home/.claude.json",
  "home/.cursor/mcp.json",
  "home/.codex/config.toml",
  "home/.codeium/windsurf/mcp_config.json",
  "home/.gemini/settings.json",
  "home/.openclaw/openclaw.json",
  "home/.mcporter/mcporter.json",
  "work/.mcp.json",
  "work/.cursor/mcp.json",
  "work/.vscode/mcp.json",
  "work/config/mcporter.json",
];

test.each([
  ["linux", "home/.config"],
  ["darwin", "home/Library/Application Support"],
  ["win32", "home/AppData/Roaming"],
])("on %s everything is found that exists, each file once", async (platform, settings) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "clawport-"));
  const own = [`${settings}/Claude/claude_desktop_config.json`, `${settings}/Code/User/mcp.json`];
  await makeFiles(folder.path, [...everywhere, ...own]);
  expect(found(folder.path, { platform })).toEqual([
    "claude-code user home/.claude.json",
    `claude-desktop user ${own[0]}`,
    "cursor user home/.cursor/mcp.json",
    `vscode user ${own[1]}`,
    "codex user home/.codex/config.toml",
    "windsurf user home/.codeium/windsurf/mcp_config.json",
    "gemini user home/.gemini/settings.json",
    "openclaw user home/.openclaw/openclaw.json",
    "mcporter user home/.mcporter/mcporter.json",
    "claude-code project work/.mcp.json",
    "cursor project work/.cursor/mcp.json",
    "vscode project work/.vscode/mcp.json",
    "mcporter project work/config/mcporter.json",
  ]);
});

test("in the home folder a file of the user is not taken for one of a project", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "clawport-"));
  await makeFiles(folder.path, ["home/.cursor/mcp.json"]);
  expect(found(folder.path, { cwd: join(folder.path, "home") })).toEqual(["cursor user home/.cursor/mcp.json"]);
});

test("environment variables that move the files of a program are respected", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "clawport-"));
  const at = (path: string): string => join(folder.path, path);
  const env = {
    CLAUDE_CONFIG_DIR: at("cc"),
    CODEX_HOME: at("cx"),
    XDG_CONFIG_HOME: at("xdg"),
    OPENCLAW_STATE_DIR: at("oc"),
    MCPORTER_CONFIG: at("mp/any.json"),
  };
  const files = ["cc/.claude.json", "cx/config.toml", "xdg/Code/User/mcp.json", "oc/openclaw.json", "mp/any.json"];
  await makeFiles(folder.path, files);
  expect(found(folder.path, { env }).map((line) => line.split(" ")[2])).toEqual([
    "cc/.claude.json",
    "xdg/Code/User/mcp.json",
    "cx/config.toml",
    "oc/openclaw.json",
    "mp/any.json",
  ]);
});

test("OpenClaw's file is found in the home that OpenClaw is set to", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "clawport-"));
  await makeFiles(folder.path, ["home/.openclaw/openclaw.json", "other/.openclaw/openclaw.json"]);
  const env = { OPENCLAW_HOME: join(folder.path, "other") };
  expect(found(folder.path, { env })).toEqual(["openclaw user other/.openclaw/openclaw.json"]);
});

test.each([
  ["/a/.mcp.json", "claude-code", "/a"],
  ["/a/b/.cursor/mcp.json", "cursor", "/a/b"],
  ["/a/.vscode/settings.json", "vscode", "/a"],
  ["/a/some.toml", "codex", "/a"],
  ["/a/config/mcporter.json", "mcporter", "/a"],
  ["/a/servers.json", "file", "/a"],
])("%s is told by its name to be of %s", (path, id, folder) => {
  const source = clientFileOf(path, { homedir: "/nowhere", cwd: "/", platform: "linux", env: {} });
  expect([source.client.id, source.folder, source.scope]).toEqual([id, folder, "project"]);
});
