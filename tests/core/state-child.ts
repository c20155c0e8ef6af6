import { Fault } from "../../src/core/fault.ts";
import { openHome } from "../../src/core/files/home.ts";
import { openStateFile } from "../../src/core/files/state-file.ts";
import { silentLog } from "../../src/core/log.ts";

/**
 * A real process that writes state until it is killed. It says `ready` before it touches anything, `found` what it read
 * at its start, `done` after each write that counts as safe, and `damaged` if it met a file it could not read. Without a
 * folder it only loads its modules.
 */
const [, , folder = "", name = ""] = process.argv;
const say = (...words: unknown[]): void => void process.stdout.write(`${words.join(" ")}\n`);
const log = {
  ...silentLog,
  error: (message: string, fields?: unknown) => say("damaged", message, JSON.stringify(fields)),
};

interface Count {
  count: number;
  padding: string;
}

function parseCount(value: unknown): Count {
  if (typeof value !== "object" || value === null || !("count" in value)) throw new Fault("corrupt", "no count");
  if (typeof value.count !== "number") throw new Fault("corrupt", "no number");
  return { count: value.count, padding: "" };
}

const grow = ({ count }: Count): Count => ({ count: count + 1, padding: "x".repeat(Math.random() * 100_000) });

if (folder === "") process.exit();
say("ready");
const home = await openHome(folder, { log });
const open = (file: string) =>
  openStateFile({ path: home.file(file), parse: parseCount, empty: { count: 0, padding: "" }, log });
const own = open(`${name}.json`);
const shared = open("shared.json");
say("found", (await own.read()).count);
await shared.read();
for (;;) {
  const { count } = await own.update(grow);
  say("done", count);
  await Promise.all([shared.update(grow), own.update((current) => current)]);
}
