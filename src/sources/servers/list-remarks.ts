import type { ScreenReport } from "../../catalog/guard/screen-source.ts";
import { countText } from "../../core/text/count-text.ts";
import { visibleText } from "../../core/text/peer-text.ts";

const maxNames = 5;
const maxNameLength = 60;

/** What was noticed about the lists of a server, one clause each. */
export function listRemarks(report: ScreenReport): readonly string[] {
  const { repeated, cleaned, flagged, tooDeep, heldBack, leftOut } = report;
  const removed = cleaned.map(({ name, characters }) => `${shown(name)} (${characters})`);
  const left = flagged.map(({ name, places }) => `${shown(name)} (${places.map(shown).join(", ")})`);
  return [
    ...(heldBack > 0 ? [`${countText(heldBack, "definition")} held back: run \`clawport pins\``] : []),
    ...(repeated.length > 0 ? [`listed more than once, only the first is used: ${names(repeated.map(shown))}`] : []),
    ...(removed.length > 0 ? [`hidden characters removed from ${names(removed)}`] : []),
    ...(left.length > 0 ? [`hidden characters left in ${names(left)}`] : []),
    ...(tooDeep.length > 0 ? [`left out, nested too deep: ${names(tooDeep.map(shown))}`] : []),
    ...(leftOut > 0 ? [`${countText(leftOut, "definition")} left out: there are too many to pin`] : []),
  ];
}

const shown = (name: string): string => visibleText(name, maxNameLength);

function names(all: readonly string[]): string {
  const rest = all.length - maxNames;
  return [...all.slice(0, maxNames), ...(rest > 0 ? [`${rest} more`] : [])].join(", ");
}
