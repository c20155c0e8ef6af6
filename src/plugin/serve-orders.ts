import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { OpenClawApi } from "./openclaw-api.ts";

const name = "mcp-server";
const description = "serve order_openclaw to an MCP client over stdin and stdout (the same as `clawport mcp-server`)";

/** `openclaw mcp-server`: hands over to the command of this package. */
export function registerServer(api: OpenClawApi): void {
  const { rootDir } = api;
  if (rootDir === undefined) return;
  api.registerCli(
    ({ program }) =>
      program
        .command(name)
        .description(description)
        .allowUnknownOption()
        .allowExcessArguments()
        .helpOption(false)
        .action(() => run(join(rootDir, "dist", "cli", "main.js"))),
    { commands: [name], descriptors: [{ name, description, hasSubcommands: false }] },
  );
}

async function run(main: string): Promise<void> {
  const at = process.argv.indexOf(name);
  const args = at === -1 ? [] : process.argv.slice(at + 1);
  const child = spawn(process.execPath, [main, name, ...args], { stdio: "inherit" });
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => void child.kill(signal));
  const [code] = (await once(child, "exit")) as [number | null];
  process.exitCode = code ?? 1;
}
