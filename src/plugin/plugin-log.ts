import type { LiveLog, LogLevel } from "../core/log.ts";
import { redactFields, redactText } from "../core/secrets/redact.ts";
import type { OpenClawLogger } from "./openclaw-api.ts";

const levels: readonly LogLevel[] = ["debug", "info", "warn", "error"];

/** Writes to OpenClaw's log. `logger` is read with each line: a reload of the plugin replaces it. */
export function createPluginLog(logger: () => OpenClawLogger): LiveLog {
  let lowest: LogLevel = "info";

  function logWith(bound: Record<string, unknown>): LiveLog {
    const say = (level: LogLevel) => (message: string, fields?: Record<string, unknown>) => {
      if (levels.indexOf(level) < levels.indexOf(lowest)) return;
      const safe = redactFields({ ...bound, ...fields });
      const facts = Object.keys(safe).length === 0 ? "" : ` ${JSON.stringify(safe)}`;
      const line = `${redactText(message)}${facts}`;
      const target = logger();
      if (level === "debug") target.debug?.(line);
      else target[level](line);
    };
    return {
      debug: say("debug"),
      info: say("info"),
      warn: say("warn"),
      error: say("error"),
      with: (fields) => logWith({ ...bound, ...fields }),
      change({ level }) {
        lowest = level ?? lowest;
      },
    };
  }
  return logWith({});
}
