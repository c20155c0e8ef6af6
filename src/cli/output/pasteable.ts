import type { World } from "../../core/process/world.ts";

type Started = Pick<World, "env">;

/** How the user starts this program: in a checkout through npm. */
export function programName({ env }: Started): string {
  return env["npm_lifecycle_event"] === undefined ? "clawport" : "npx clawport";
}

/** A message in which hints such as `clawport up` are as the user types them. Only what is in code marks is a hint. */
export function pasteable(text: string, started: Started): string {
  return text.replaceAll(/`clawport(?=[ `])/g, `\`${programName(started)}`);
}

/** The same for a line of the shell. */
export function pasteableCommand(line: string, started: Started): string {
  return line.replaceAll(/(?<![\w./-])clawport(?= [a-z])/g, programName(started));
}
