import { readFile, writeFile } from "node:fs/promises";
import { mkdir } from "node:fs/promises";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { prepareServers } from "../../../bench/tokens/real-servers.ts";
import { childEnv } from "../../../src/core/process/child-env.ts";
import { clawport, makePlace } from "../../support/cli/run-clawport.ts";
import { callsIn, files, servers } from "../../servers/long/server-calls.ts";

/**
 * `node main.ts [--only name]`: servers from npm, each in the sandbox that `sandbox try --yes` proposes for it. Prints what was
 * proposed and what a call under it answers, and exits with 1 if fewer than 18 of 25 answer.
 */
const { values } = parseArgs({ options: { only: { type: "string", multiple: true } } });
const needed = values.only === undefined ? 18 : values.only.length;
await using made = await makePlace();
const noNetwork = new URL("../../servers/long/no-network.ts", import.meta.url).href;
// The proxy of a sandbox resolves names in the hub's own process: a call sends nothing to anyone there either.
const env = { ...childEnv(process.env), ...made.env, NODE_OPTIONS: `--import=${noNetwork}` };
const place = { ...made, env };
const folder = join(place.folder, "files");
await mkdir(folder);
await mkdir(place.home, { mode: 0o700 });
for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
execFileSync("git", ["init", "--quiet", "--initial-branch=main", folder]);
const defined = prepareServers(folder, servers, "real-servers");
const chosen = Object.entries(defined).filter(([name]) => values.only?.includes(name) ?? true);
const config = join(place.home, "clawport.json5");
const calls = callsIn(folder);
let answered = 0;
for (const [name, definition] of chosen) {
  await writeFile(config, JSON.stringify({ servers: { [name]: definition }, machine: { enabled: false } }), {
    mode: 0o600,
  });
  const tried = await clawport(place, "sandbox", "try", name, "--yes", "--json");
  const { works, proposal, withheld, reason } = JSON.parse(tried.out || "{}");
  const isOwn = /"?sandbox"?:/.test(await readFile(config, "utf8"));
  const { tool, args = {} } = calls[name]!;
  const { out, err } = await clawport(place, "call", `${name}__${tool}`, JSON.stringify(args), "--json");
  // A tool's own error, such as that of a key that is not valid, is an answer.
  const isAnswer = works === true && isOwn && /"content"/.test(out);
  if (isAnswer) answered++;
  const what = JSON.stringify({ ...proposal, withheld });
  console.log([name, isAnswer ? "answers" : `does not answer: ${reason ?? ""} ${err}`.trim(), what].join(" | "));
}
console.log(`${answered} of ${chosen.length} answer.`);
process.exitCode = answered >= needed ? 0 : 1;
