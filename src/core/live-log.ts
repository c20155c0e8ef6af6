import { createLog, type Log, type LogOptions } from "./log.ts";

export interface LiveLog extends Log {
  /** From now on, on this log and on every one made from it by `with`. */
  change(options: Partial<Pick<LogOptions, "level" | "format">>): void;
}

/** A log whose level and format can change while parts hold on to it: an edited configuration applies at once. */
export function createLiveLog(options: LogOptions): LiveLog {
  const settings = { ...options };
  return { ...createLog(settings), change: (changed) => void Object.assign(settings, changed) };
}
