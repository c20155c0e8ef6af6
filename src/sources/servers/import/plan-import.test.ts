import { expect, test } from "vitest";
import type { ImportedServer } from "./imported-server.ts";
import { chooseServers } from "./plan-import.ts";

type Given = readonly [name: string, server: ImportedServer, project?: string];

function choose(servers: Record<string, unknown>, ...offers: readonly (readonly [string, readonly Given[]])[]) {
  const readings = offers.map(([client, given]) => {
    const taken = given.map(([name, server, project]) => ({ name, server, notes: [], ...(project && { project }) }));
    return { client, reading: { taken, skipped: [] } };
  });
  return chooseServers(readings, { servers, hubPort: 8765 });
}

const a = { command: "a" };
const b = { command: "b" };
const c = { command: "c" };

test("a name that is taken is followed by its origin, and then by a number", () => {
  const readings = choose(
    { files: { command: "x" } },
    ["cursor", [["files", a]]],
    ["cursor", [["files", b]]],
    ["claude-code", [["files", c, "/home/ann/my shop"]]],
  );
  expect(readings.flatMap(({ taken }) => taken).map(({ name, notes }) => [name, notes])).toEqual([
    ["files-cursor", ['was called "files"']],
    ["files-cursor-2", ['was called "files"']],
    ["files-my-shop", ['was called "files"']],
  ]);
});

test("a name that Clawport itself uses is followed by its origin", () => {
  const [reading] = choose({}, ["cursor", [["machine", a]]]);
  expect(reading?.taken.map(({ name, notes }) => [name, notes])).toEqual([
    ["machine-cursor", ['was called "machine"']],
  ]);
});

test("a name with characters that are not allowed is changed", () => {
  const [reading] = choose({}, [
    "cursor",
    [
      ["Brave Søk!", a],
      ["--", b],
      [`x${"y".repeat(99)}`, c],
    ],
  ]);
  expect(reading?.taken.map(({ name }) => name)).toEqual(["Brave-S-k", "server", `x${"y".repeat(63)}`]);
});

test("a server that is configured already is left out, whatever its name and however its references are written", () => {
  const configured = {
    one: { command: "npx", args: ["-y", "x"], env: { K: "$KEY" }, transport: "stdio", toolPrefix: "p" },
    two: { url: "https://a.example/", headers: { "x-a": "1" }, requestTimeoutMs: 1 },
  };
  const [reading] = choose(configured, [
    "cursor",
    [
      ["first", { command: "npx", args: ["-y", "x"], env: { K: "${KEY}" } }],
      ["second", { url: "https://a.example/", headers: { "X-A": "1" } }],
      ["third", { url: "https://a.example/", headers: { "X-A": "2" } }],
    ],
  ]);
  expect(reading?.taken.map(({ name }) => name)).toEqual(["third"]);
  expect(reading?.skipped).toEqual([
    { name: "first", reason: "is already configured as one", isDuplicate: true },
    { name: "second", reason: "is already configured as two", isDuplicate: true },
  ]);
});

test("the same server from two programs is taken once", () => {
  const readings = choose({}, ["cursor", [["a", a]]], ["codex", [["z", a]]]);
  expect(readings[1]).toEqual({ taken: [], skipped: [{ name: "z", reason: "is the same as a", isDuplicate: true }] });
});

test("a second import adds nothing", () => {
  const offer = [
    "cursor",
    [
      ["files", a],
      ["files", b],
    ],
  ] as const;
  const first = choose({}, offer).flatMap(({ taken }) => taken);
  const configured = Object.fromEntries(first.map(({ name, server }) => [name, server]));
  expect(choose(configured, offer).flatMap(({ taken }) => taken)).toEqual([]);
});

test.each([
  { url: "http://127.0.0.1:8765/mcp" },
  { url: "http://localhost:8765/" },
  { command: "clawport", args: ["mcp-server"] },
  { command: "npx", args: ["-y", "clawport@1.2.3", "mcp-server"] },
  { command: "/usr/local/bin/clawport" },
])("%j is Clawport itself", (server) => {
  expect(choose({}, ["cursor", [["me", server]]])).toEqual([
    { taken: [], skipped: [{ name: "me", reason: "is Clawport itself" }] },
  ]);
});

test.each([{ url: "http://127.0.0.1:9999/mcp" }, { url: "https://a.example:8765/" }, { command: "clawport-like" }])(
  "%j is not",
  (server) => {
    expect(choose({}, ["cursor", [["other", server]]])[0]?.taken).toHaveLength(1);
  },
);
