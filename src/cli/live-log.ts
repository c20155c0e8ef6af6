import type { LogOptions } from "../core/create-log.ts";
import { createLog } from "../core/create-log.ts";
import type { Log } from "../core/log.ts";

export interface LiveLog extends Log {
  /** From now on, on this log and on every one made from it by `with`. */
  change(options: Partial<Pick<LogOptions, "level" | "format">>): void;
}

/** A log whose level and format can change while parts hold on to it: an edited configuration applies at once. */
export function createLiveLog(options: LogOptions): LiveLog {
  let settings = options;
  let current: Log = createLog(settings);
  const bound = (fields: readonly Record<string, unknown>[]): Log => {
    const log = (): Log => fields.reduce((made, each) => made.with(each), current);
    return {
      debug: (message, more) => log().debug(message, more),
      info: (message, more) => log().info(message, more),
      warn: (message, more) => log().warn(message, more),
      error: (message, more) => log().error(message, more),
      with: (more) => bound([...fields, more]),
    };
  };
  return {
    ...bound([]),
    change(changed) {
      settings = { ...settings, ...changed };
      current = createLog(settings);
    },
  };
}
