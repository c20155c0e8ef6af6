import { expect, test } from "vitest";
import { cageConfigOf } from "../../../../core/config/sandbox-config.ts";
import { type CageNeed, proposeCage } from "./propose-cage.ts";

const home = "/home/ada";
const on = cageConfigOf("on")!;
const options = { home, program: ["/home/ada/app"], isFolder: (path: string) => !path.includes(".") };
const propose = (...needs: CageNeed[]) => proposeCage(on, needs, options);
const hidden = (path: string, from: CageNeed["from"] = "server", isWrite = false): CageNeed => ({
  refused: { kind: "hidden", path, isWrite },
  from,
});
const host = (name: string, isDirect = false): CageNeed => ({
  refused: { kind: "host", host: name, isDirect },
  from: "server",
});

test.each<[string, CageNeed, object]>([
  ["a file that it opened is read", hidden("/home/ada/x.json"), { read: ["/home/ada/x.json"] }],
  ["a folder that the owner named is written", hidden("/home/ada/notes", "settings"), { write: ["/home/ada/notes"] }],
  ["a folder that only the server names is read", hidden("/home/ada/notes"), { read: ["/home/ada/notes"] }],
  ["a folder that it wrote into is written", hidden("/home/ada/out", "server", true), { write: ["/home/ada/out"] }],
  [
    "a key that the owner named is read",
    hidden("/home/ada/.ssh/id.pub", "settings"),
    { read: ["/home/ada/.ssh/id.pub"] },
  ],
  ["a host at a usual port is a name", host("api.example.com:443"), { network: ["api.example.com"] }],
  ["another port is kept", host("db.example.com:5432"), { network: ["db.example.com:5432"] }],
  ["a plain address is a host", host("http://api.example.com/x?y"), { network: ["api.example.com"] }],
])("%s", (_, need, cage) => {
  expect(propose(need)).toMatchObject({ cage: { ...on, ...cage }, withheld: [] });
});

test.each<[string, CageNeed]>([
  ["the home folder", hidden(home, "settings")],
  ["a folder above it", hidden("/home")],
  ["a key that only the server asks for", hidden("/home/ada/.ssh/id_ed25519")],
  ["a password file", hidden("/home/ada/.config/gh/hosts.yml")],
  ["its own program, to write", { refused: { kind: "read-only", path: "/home/ada/app/dist/x.json" }, from: "server" }],
  ["a host that it did not look for through the proxy", host("api.example.com", true)],
  ["a port of this computer", host("localhost:80")],
  ["an address", host("169.254.169.254:80")],
])("%s is withheld, with the reason", (_, need) => {
  const { cage, added, withheld } = propose(need);
  expect(cage).toEqual(on);
  expect(added).toEqual([]);
  expect(withheld).toHaveLength(1);
});

test("many files of one folder are the folder, but never the home folder", () => {
  const files = ["a", "b", "c", "d"].map((name) => `${name}.json`);
  expect(propose(...files.map((name) => hidden(`/home/ada/data/${name}`))).cage.read).toEqual(["/home/ada/data"]);
  expect(propose(...files.map((name) => hidden(`/home/ada/${name}`))).cage.read).toHaveLength(4);
});
