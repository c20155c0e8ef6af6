import { writeFile } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { makePlace } from "../support/cli/run-clawport.ts";
import { runProgram } from "../support/cli/run-shell.ts";
import { openRogueHttp } from "../servers/fixtures/rogue-http.ts";
import { startRogueIssuer } from "./fixtures/rogue-issuer.ts";

/** The sources: of the compiled program the hook would not see which package a module is from. */
const main = path.join(import.meta.dirname, "..", "..", "src", "cli", "main.ts");
const hook = pathToFileURL(path.join(import.meta.dirname, "fixtures", "note-modules.ts")).href;

/** What `clawport tools` says on stderr, with the modules of the official client it loads. */
async function toolsOf(url: string) {
  await using place = await makePlace();
  await writeFile(path.join(place.folder, "clawport.json5"), JSON.stringify({ servers: { one: { url } } }));
  const args = ["--import", hook, main, "tools", "--json", "--trust"];
  return await runProgram(process.execPath, args, { env: place.env, cwd: place.folder });
}

test("what signs in is not loaded for a server that lets everybody in", async () => {
  await using server = await openRogueHttp();
  const { exit, out, err } = await toolsOf(server.url);
  expect(exit).toBe(0);
  expect(out).toContain("one__");
  expect(err).not.toContain("loaded");
});

test("it is loaded when a server asks for it", async () => {
  await using rogue = await startRogueIssuer();
  const { err } = await toolsOf(rogue.url.href);
  expect(err).toContain("loaded @modelcontextprotocol/client");
});
