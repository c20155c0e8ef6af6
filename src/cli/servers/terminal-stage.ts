import { openBrowser } from "../../sources/servers/oauth/sign-in/open-browser.ts";
import type { SignInStage } from "../../sources/servers/handlers/handle-auth.ts";
import type { CommandContext } from "../command-context.ts";

/** The person at this terminal signs in. */
export function createTerminalStage(context: CommandContext, isBrowserless: boolean): SignInStage {
  const { env, platform, stdin, stderr } = context;
  const isAttended = stdin.isTTY === true && stderr.isTTY === true;
  return {
    signal: context.stopSignal(),
    goesOn: false,
    // Not on stdout: that is for the answer.
    show: (text) => void stderr.write(`${text}\n`),
    ...(!isBrowserless && { openBrowser: (url) => openBrowser(url, { env, platform }) }),
    ...(isAttended && { paste: (signal) => readLine(context, signal) }),
  };
}

/** Nothing once the input ends or the line is no longer wanted. */
async function readLine({ stdin }: CommandContext, signal: AbortSignal): Promise<string | undefined> {
  const { createInterface } = await import("node:readline");
  if (signal.aborted) return undefined;
  return new Promise((resolve) => {
    const lines = createInterface({ input: stdin });
    const end = (): void => lines.close();
    signal.addEventListener("abort", end, { once: true });
    lines.once("line", (line) => {
      resolve(line);
      end();
    });
    lines.once("close", () => {
      signal.removeEventListener("abort", end);
      resolve(undefined);
    });
  });
}
