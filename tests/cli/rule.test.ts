import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startHub } from "../support/cli/run-clawport.ts";
import { placeWith, runHere, shelf } from "../support/cli/test-home.ts";

const written = `{
  servers: {},
  policy: {
    rules: [
      // my notes
      { tool: "files__write_*", verdict: "ask" },
    ],
  },
}
`;

test("a rule is added before the others or after them, and removed; comments stay", async () => {
  await using place = await placeWith({});
  const file = join(place.home, "clawport.json5");
  await writeFile(file, written);
  const added = await runHere(place, ["rule", "add", "deny", "--annotation", "destructive", "--token", "phone"]);
  expect(added).toEqual({
    exit: 0,
    out: `Added as rule 1 of 2: deny  token phone, annotation destructive\nSaved to ${file}.\n`,
    err: "",
  });
  const text = await readFile(file, "utf8");
  expect(text).toContain('"verdict":"deny"},\n      // my notes\n      { tool: "files__write_*", verdict: "ask" },');
  await runHere(place, ["rule", "add", "allow", "files__read", "--last", "--reason", "harmless"]);
  expect((await runHere(place, ["rule"])).out).toBe(
    "1  deny  token phone, annotation destructive\n2  ask  tool files__write_*\n3  allow  tool files__read (harmless)\nIf none matches, the preset default decides.\n",
  );
  expect((await runHere(place, ["rule", "remove", "1"])).out).toContain("Removed: deny  token phone");
  const { rules } = JSON.parse((await runHere(place, ["rule", "list", "--json"])).out) as { rules: object[] };
  expect(rules).toEqual([
    { tool: "files__write_*", verdict: "ask" },
    { tool: "files__read", verdict: "allow", reason: "harmless" },
  ]);
});

test("the other rules stay as they are written, with their variables and comments", async () => {
  await using place = await placeWith({});
  const file = join(place.home, "clawport.json5");
  const others = `[
      // the owner
      { sender: "$HOME", verdict: "allow" }, // everything
      { tool: "files__write_*", verdict: "ask" },
    ]`;
  const before = `{ policy: {\n    rules: ${others},\n} }\n`;
  await writeFile(file, before);
  await runHere(place, ["rule", "add", "deny", "a__b"]);
  const text = await readFile(file, "utf8");
  expect(text).toContain(others.slice(1));
  const listed = (await runHere(place, ["rule", "list", "--json"])).out;
  expect(listed).toContain('"sender":"$HOME"');
  expect(await runHere(place, ["rule", "remove", "1"])).toMatchObject({ exit: 0 });
  expect(await readFile(file, "utf8")).toBe(before);
  await runHere(place, ["rule", "add", "ask", "z", "--last"]);
  expect(await readFile(file, "utf8")).toContain('sender: "$HOME"');
});

test("a rule that says nothing, or nothing valid, changes nothing and says what is wrong", async () => {
  await using place = await placeWith({});
  const file = join(place.home, "clawport.json5");
  const before = await readFile(file, "utf8");
  expect(await runHere(place, ["rule", "add", "deny"])).toMatchObject({ exit: 2 });
  expect((await runHere(place, ["rule", "add", "maybe", "x"])).err).toContain("verdict");
  expect((await runHere(place, ["rule", "add", "deny", "x", "--door", "window"])).err).toContain("door");
  expect(await runHere(place, ["rule", "remove", "7"])).toMatchObject({ exit: 3 });
  expect(await readFile(file, "utf8")).toBe(before);
});

test("a running hub follows a new rule at once", { timeout: 60_000 }, async () => {
  await using place = await placeWith({ shelf: shelf("one") });
  await using _hub = await startHub(place, "--port", "0");
  expect((await runHere(place, ["call", "shelf__put", "thing=cup"])).exit).toBe(0);
  const added = await runHere(place, ["rule", "add", "deny", "shelf__pu*"]);
  expect(added.out).toContain("\nMatches 1 tool: shelf__put\nSaved to ");
  const slip = await runHere(place, ["rule", "add", "ask", "shelf_put", "--last"]);
  expect(slip.out).toContain("\nNo tool has such a name now. Run `clawport tools` to see the names.\nSaved to ");
  const refused = await runHere(place, ["call", "shelf__put", "thing=cup"]);
  expect(refused.exit).not.toBe(0);
  expect(refused.out + refused.err).toContain("shelf__put was denied: policy.rules[0] forbids it");
});
