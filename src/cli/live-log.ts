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
  let current = createLog(settings);
  const bound = (fields: Record<string, unknown>): Log => ({
    debug: (message, more) => current.debug(message, { ...fields, ...more }),
    info: (message, more) => current.info(message, { ...fields, ...more }),
    warn: (message, more) => current.warn(message, { ...fields, ...more }),
    error: (message, more) => current.error(message, { ...fields, ...more }),
    with: (more) => bound({ ...fields, ...more }),
  });
  return {
    ...bound({}),
    change(changed) {
      settings = { ...settings, ...changed };
      current = createLog(settings);
    },
  };
}
