import { openBrowser } from "../../sources/servers/oauth/sign-in/open-browser.ts";
import type { SignInStage } from "../../sources/servers/handlers/handle-auth.ts";
import type { CommandContext } from "../command-context.ts";
import { isAttended } from "../is-attended.ts";
import { readLine } from "../read-line.ts";

/** The person at this terminal signs in. */
export function createTerminalStage(context: CommandContext, isBrowserless: boolean): SignInStage {
  const { env, platform, stdin, stderr } = context;
  return {
    signal: context.stopSignal(),
    goesOn: false,
    // Not on stdout: that is for the answer.
    show: (text) => void stderr.write(`${text}\n`),
    ...(!isBrowserless && { openBrowser: (url) => openBrowser(url, { env, platform }) }),
    ...(isAttended(context) && { paste: (signal) => readLine(stdin, signal) }),
  };
}
