import { isInteractive } from "../../core/process/world.ts";
import { openBrowser } from "../../hub/sign-in/open-browser.ts";
import type { SignInUi } from "../../hub/presentation/auth.ts";
import type { CommandContext } from "../command-context.ts";
import { readLine } from "./read-line.ts";

/** Signs in with the user at this terminal. */
export function createTerminalSignIn(context: CommandContext, isBrowserless: boolean): SignInUi {
  const { env, platform, stdin, stderr } = context;
  return {
    signal: context.stopSignal(),
    // stdout is for the answer.
    show: (text) => void stderr.write(`${text}\n`),
    ...(!isBrowserless && { openBrowser: (url) => openBrowser(url, { env, platform }) }),
    ...(isInteractive(context) && { paste: (signal) => readLine(stdin, signal) }),
  };
}
