import { setJson5 } from "../../../core/config/json5/edit-json5.ts";
import type { FileContext, HubContext } from "../contexts.ts";
import type { Input } from "../input.ts";
import type { recorded } from "../verbs/settings.ts";
import { openConfigFile, ownerPlace, type WrittenConfig } from "./config-file.ts";

/** Whether the audit has the arguments of calls. */
export interface RecordedArguments {
  readonly now: boolean;
  readonly afterRestart: boolean;
}

export async function readRecorded({ engine }: HubContext): Promise<RecordedArguments> {
  return { now: engine.config.audit.arguments, afterRestart: engine.current.audit.arguments };
}

/** In the owner's file: one in a folder must not decide what is recorded. */
export function setRecorded(file: FileContext, input: Input<typeof recorded>): Promise<WrittenConfig> {
  const owner = openConfigFile({ ...file, place: ownerPlace(file.place, file.home) });
  return owner.change((text) => setJson5(text, ["audit", "arguments"], input.arguments));
}
