import { execFileSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { prepareServers } from "../../../bench/tokens/real-servers.ts";
import { type Compared, compareServer, parts } from "../real/compare-server.ts";
import { complaintsOfTasks, taskFiles } from "../real/honest-tasks.ts";
import { openBothWays } from "../real/open-both-ways.ts";
import { callsIn, files, servers } from "./server-calls.ts";

/**
 * `node main.ts [--only name]`: servers from npm, directly and through one hub at `/mcp/<server>`. Compares their
 * instructions, lists, resources and prompts, a call, and two calls with mistakes, as JSON text. Prints a table and
 * exits with 1 if something differs that the docs don't name, or if a server does not start. Numbers are items or
 * characters; a – is what was not compared: a tool without fields has none to get wrong. Then the tasks of the token
 * bench run with all of them there, and screening must not say a word.
 */
const { values } = parseArgs({ options: { only: { type: "string", multiple: true } } });
const chosen = servers.filter(({ name }) => values.only?.includes(name) ?? true);
let folder = "";
const define = (made: string) => {
  execFileSync("git", ["init", "--quiet", "--initial-branch=main", (folder = made)]);
  const definitions = Object.entries(prepareServers(folder, servers, "real-servers"));
  return Object.fromEntries(definitions.filter(([name]) => values.only?.includes(name) ?? true));
};
const both = await openBothWays(define, { ...files, ...taskFiles });
const calls = callsIn(folder);
const notes: string[] = [];
console.log(["server", ...parts].join(" | "));
for (const { name, package: id, version } of chosen) {
  const compared = await compare(name);
  const cells = parts.map((part) => cellOf(compared.find((each) => each.part === part)));
  console.log([`${id}@${version}`, ...cells].join(" | "));
  for (const { part, verdict, note } of compared) if (verdict === "differs") notes.push(`${name}, ${part}: ${note}`);
}
if (values.only === undefined) notes.push(...(await complaintsOfTasks(both)));
console.log(notes.length === 0 ? "No differences." : notes.join("\n\n"));
await both[Symbol.asyncDispose]();
process.exit(notes.length === 0 ? 0 : 1);

async function compare(name: string): Promise<readonly Compared[]> {
  try {
    await using hub = await both.hub(name);
    await using direct = both.direct(name);
    return await Promise.race([compareServer(direct, hub, calls[name]!), tooLate()]);
  } catch (error) {
    notes.push(`${name} does not start or answer: ${(error as Error).message}`);
    return [];
  }
}

async function tooLate(): Promise<never> {
  await sleep(120_000, undefined, { ref: false });
  throw new Error("no answer within two minutes");
}

function cellOf(compared: Compared | undefined): string {
  return compared ? `${compared.verdict} ${compared.size}` : "–";
}
