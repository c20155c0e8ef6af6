import { type Place, type RunningHub, startHub } from "../support/cli/run-clawport.ts";
import { runHere } from "../support/cli/test-home.ts";

/** Runs commands and a hub that tell all they can, and remembers what each of them said. */
export function listenIn(place: Place) {
  const said: Record<string, string> = {};
  let count = 0;
  return {
    said,
    async run(...argv: string[]): Promise<string> {
      const { out, err } = await runHere(place, [...argv, "-v"]);
      said[`${count++} ${argv.slice(0, 2).join(" ")}`] = `${out}\n${err}`;
      return out;
    },
    async startTalkingHub(): Promise<RunningHub> {
      const hub = await startHub(place, "--port", "0", "-v");
      hub.child.stderr.on("data", (chunk) => (said["hub"] = (said["hub"] ?? "") + String(chunk)));
      return hub;
    },
  };
}
