import { parse } from "smol-toml";
import { describe, expect, test } from "vitest";
import { installableClients } from "../../sources/servers/import/client-table.ts";
import { cutEntry, findEntry, putEntry, renderBlock } from "./edit-block.ts";

const json = { format: "json", at: ["mcpServers"] } as const;
const toml = { format: "toml", at: ["mcp_servers"] } as const;
const entry = { command: "node", args: ["main.js", 'it\'s "quoted"'] };

const parsers = { json: (text: string): unknown => JSON.parse(text), toml: (text: string): unknown => parse(text) };

test.each(installableClients)(
  "the entry of $id can be put into an empty file, found, and is what is shown to paste",
  (client) => {
    const own = client.entry({ command: "node", args: ["main.js"] });
    const text = putEntry("", client, own);
    expect(findEntry(text, client)).toEqual(own);
    const read = parsers[client.format];
    expect(read(text)).toEqual(read(renderBlock(client, own)));
  },
);

describe("in JSON", () => {
  const commented = `// mine
{
  "theme": "dark", // keep
  "mcpServers": {
    /* first */
    "files": { "command": "npx" }, // trailing
  },
}
`;

  test("comments, order and spaces stay as they were, also after it is removed again", () => {
    const added = putEntry(commented, json, entry);
    expect(added).toContain('"theme": "dark", // keep');
    expect(added).toContain("/* first */");
    expect(findEntry(added, json)).toEqual(entry);
    expect(cutEntry(added, json)).toBe(commented);
  });

  test("plain JSON stays plain JSON, in a file without servers, too", () => {
    for (const text of ["", "{}", "{}\n", '{"a":1}', '{\n  "mcpServers": {}\n}\n', "// empty\n{}"])
      expect(findEntry(putEntry(text, json, entry), json)).toEqual(entry);
    for (const text of ["", "{}", '{"a":1}', '{"mcpServers":{"x":{"command":"y"}}}'])
      expect(() => JSON.parse(putEntry(text, json, entry))).not.toThrow();
  });

  test("an older entry is replaced", () => {
    const twice = putEntry(putEntry(commented, json, { command: "old" }), json, entry);
    expect(findEntry(twice, json)).toEqual(entry);
    expect(twice).not.toContain("old");
  });

  test.each([
    ["{", "not valid JSON"],
    ['{ "mcpServers": [] }', "is not an object"],
    ['{ "mcpServers": {}, "mcpServers": {} }', "twice"],
    ["[]", "is not an object"],
    ['"text"', "is not an object"],
  ])("a broken or surprising file is refused: %s", (text, reason) => {
    expect(() => putEntry(text, json, entry)).toThrow(reason);
  });
});

describe("in TOML", () => {
  const file = `# mine
model = "gpt" # keep

[mcp_servers.files]
command = "npx"
args = ["""
[mcp_servers.clawport]
not a table"""]

# about the terminal
[tui]
when = 2026-11-16T03:00:00Z
`;

  test("everything else stays as it was, also after it is removed again", () => {
    const added = putEntry(file, toml, { ...entry, env: { A: "1" } });
    expect(added.startsWith(file)).toBe(true);
    expect(findEntry(added, toml)).toEqual({ ...entry, env: { A: "1" } });
    expect(cutEntry(putEntry("[tui]\nx = 1\n", toml, entry), toml)).toBe("[tui]\nx = 1\n");
  });

  test("a table in the middle is cut with its sub-tables, and the comment of the next table stays", () => {
    const before = 'a = 1\n\n[ "mcp_servers" . clawport ]\ncommand = "x"\n[mcp_servers.clawport.env]\nB = "2"\n';
    expect(cutEntry(`${before}\n# next\n[tui]\nx = 1\n`, toml)).toBe("a = 1\n\n\n# next\n[tui]\nx = 1\n");
  });

  test.each([
    ["an inline table of servers", 'mcp_servers = { a = { command = "x" } }\n', "can't be edited"],
    ["not TOML", "model = \n", "not valid TOML"],
    ["a value in the place of the servers", 'mcp_servers = "none"\n', "can't be edited"],
  ])("what can't be edited safely is refused: %s", (_, text, reason) => {
    expect(() => putEntry(text, toml, entry)).toThrow(reason);
  });

  test("where a string looks like our table, nothing is cut by mistake", () => {
    const added = putEntry(file, toml, entry);
    expect(() => cutEntry(added, toml)).toThrow("can't be edited without changing something else");
  });

  test("line ends of Windows are kept", () => {
    const added = putEntry("[tui]\r\nx = 1\r\n", toml, entry);
    expect(added.replaceAll("\r\n", "")).not.toContain("\n");
    expect(cutEntry(added, toml)).toBe("[tui]\r\nx = 1\r\n");
  });
});
