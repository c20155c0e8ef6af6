import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { refusalText, refusalsIn } from "./refusals.ts";

const home = mkdtempSync(join(tmpdir(), "refusals-"));
for (const folder of ["state", "kept", "notes", "mine"]) mkdirSync(join(home, folder));
for (const file of ["notes/a.txt", "state/token", "kept/here.txt", "here.txt", "mine/b.txt"])
  writeFileSync(join(home, file), "");
afterAll(() => rmSync(home, { recursive: true }));

const cage = { home, kept: join(home, "kept"), read: [], write: [join(home, "mine")], network: "none" as const };
const find = (text: string, network: "none" | "proxy" | "host" = "none"): readonly string[] =>
  refusalsIn(text, { cage: { ...cage, network }, closedFolders: [join(home, "state")] }).map((refused) =>
    refusalText(refused, network),
  );

test.each([
  [`Error: ENOENT: no such file or directory, open '${home}/notes/a.txt'`, `hides ${home}/notes/a.txt: add it`],
  [`Cannot find module 'file://${home}/notes/a.txt'.`, `hides ${home}/notes/a.txt: add it`],
  [`EROFS: read-only file system, open '/usr/x'`, "refused to write /usr/x: add its folder"],
  ["getaddrinfo EAI_AGAIN api.example.com", "add api.example.com to `sandbox.network`"],
])("%s: %s", (text, wish) => {
  expect(find(text)).toEqual([expect.stringContaining(wish)]);
});

test.each([
  ["does not exist", "/no/such/file"],
  ["the state folder", `${home}/state/token`],
  ["the server's own home", `${home}/here.txt`],
  ["what it was given", `${home}/mine/b.txt`],
  ["a folder with something that it was given", home],
  ["the system's own", "/usr/bin/env /etc/hosts /tmp /"],
])("nothing is said of what is %s", (_, path) => {
  expect(find(`ENOENT: no such file or directory, open ${path}`)).toEqual([]);
});

test("a server with a proxy is told to use it, and one with the network nothing", () => {
  expect(find("getaddrinfo ENOTFOUND api.example.com", "proxy")).toEqual([expect.stringContaining("HTTPS_PROXY")]);
  expect(find("getaddrinfo ENOTFOUND api.example.com", "host")).toEqual([]);
});

test("no more than a few are named", () => {
  const text = Array.from({ length: 50 }, (_, index) => `getaddrinfo ENOTFOUND host-${index}.example.com`).join("\n");
  expect(find(text)).toHaveLength(5);
});
