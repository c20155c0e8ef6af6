import type { Home } from "../../core/files/home.ts";
import { visibleText } from "../../core/text/peer-text.ts";
import { countText } from "../../core/text/count-text.ts";
import { findCage, type FoundCage, type TrialDraft } from "../../hub/control/settings/try-sandbox.ts";
import type { CommandContext } from "../command-context.ts";
import { isYes } from "../terminal/read-line.ts";

/** Finds the sandbox that a server works in. The user decides what it gets, in each round; `yes` is that answer beforehand. */
export async function tryInSandbox(
  context: CommandContext,
  home: Home,
  draft: TrialDraft,
  yes: boolean,
): Promise<FoundCage> {
  const { env, homedir, log } = context;
  const work = findCage(draft, {
    home,
    env,
    homedir,
    log,
    signal: context.stopSignal(),
    async accept({ added }) {
      context.say([`${draft.name} was refused:`, ...added.map((each) => `+ ${visibleText(each, 300)}`)].join("\n"));
      if (yes || context.json) return yes;
      return isYes((await context.ask("Try again with this? [y/N] ")) ?? "");
    },
  });
  return context.showWhile(`Trying ${draft.name} in a sandbox …`, work);
}

/** What came of it, in lines. */
export function trialLines(name: string, { trial, withheld, services, isTried }: FoundCage): readonly string[] {
  const { isGood, reason = "", tools, called } = trial;
  const call = called === undefined ? "none of them could be called without harm" : `${called} answered`;
  return [
    isGood
      ? `${name} works in this sandbox: ${countText(tools, "tool")}; ${call}.`
      : `${name} failed in this sandbox: ${reason}`,
    ...(isTried || !isGood ? [] : ["It was not tried with all that is proposed."]),
    ...(services.length === 0
      ? []
      : [`It seems to need your ${services.join(" and your ")}: whoever has that can act for you.`]),
    ...(withheld.length === 0 ? [] : ["Asked for, and not proposed:", ...withheld.map((each) => `- ${each}`)]),
  ];
}
