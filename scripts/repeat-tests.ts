import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

/**
 * Runs `npm test` many times in a clean clone of what is committed, and says how each run ended: `npm run test:repeat`, or with
 * numbers `npm run test:repeat -- --times 3 --busy 4`, where `busy` processes beside it take all the time they get.
 */
const { values } = parseArgs({
  options: { times: { type: "string", default: "10" }, busy: { type: "string", default: "0" } },
});
const times = Number(values.times);
const clone = await mkdtemp(join(tmpdir(), "clawport-clone-"));
const loops: ChildProcess[] = [];
let green = 0;
try {
  await must("git", ["clone", "--quiet", "--no-hardlinks", process.cwd(), clone], tmpdir());
  await must("npm", ["install", "--no-audit", "--no-fund"], clone);
  for (let at = 0; at < Number(values.busy); at++)
    loops.push(spawn(process.execPath, ["-e", "for (;;);"], { stdio: "ignore" }));
  for (let at = 1; at <= times; at++) {
    const start = performance.now();
    const { code, output } = await run("npm", ["test"], clone);
    const minutes = ((performance.now() - start) / 60_000).toFixed(1);
    if (code === 0) green++;
    console.log(`run ${at} of ${times}: ${closingLine(output)}, ${minutes} minutes`);
    if (code !== 0) console.log(failuresIn(output));
  }
} finally {
  for (const loop of loops) loop.kill("SIGKILL");
  await rm(clone, { recursive: true, force: true, maxRetries: 5 });
}
console.log(`${green} of ${times} runs passed.`);
process.exitCode = green === times ? 0 : 1;

async function must(command: string, args: readonly string[], cwd: string): Promise<void> {
  const { code, output } = await run(command, args, cwd);
  if (code !== 0) throw new Error(`${command} ${args.join(" ")} ended with ${code}:\n${output}`);
}

async function run(
  command: string,
  args: readonly string[],
  cwd: string,
): Promise<{ readonly code: number; readonly output: string }> {
  // Of the variables that npm sets for this script, none may reach the clone.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("npm_")));
  const child = spawn(command, args, { cwd, env: { ...env, NO_COLOR: "1" }, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
  const [code] = await once(child, "close");
  return { code: Number(code ?? 1), output };
}

function closingLine(output: string): string {
  return /^\d+ passed, \d+ failed, \d+ skipped$/m.exec(output)?.[0] ?? "no result";
}

function failuresIn(output: string): string {
  const lines = output.split("\n").filter((line) => /^\s*FAIL |^\d+ skipped:|Error:/.test(line));
  return lines.length > 0 ? lines.slice(0, 40).join("\n") : output.slice(-4000);
}
