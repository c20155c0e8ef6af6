import { Fault } from "../../core/fault.ts";
import { nearestName } from "../../core/nearest-name.ts";
import { quoted } from "../../core/quoted.ts";

/** For a name that no server has, among these that there are. */
export function unknownServer(name: string, known: readonly string[]): Fault {
  const nearest = nearestName(name, known);
  const hint =
    nearest === undefined
      ? known.length === 0
        ? "There are none: add one with `clawport connect`."
        : `There are: ${known.join(", ")}.`
      : `Did you mean ${quoted(nearest)}?`;
  return new Fault("not-found", `There is no server ${quoted(name, 100)}. ${hint}`);
}
