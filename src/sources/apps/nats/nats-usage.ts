import { isRecord } from "../../../core/is-record.ts";
import type { RateLimiter, SharedUsage } from "../../../core/token-bucket.ts";
import { subjectsOf } from "./bus-messages.ts";
import type { NatsLinks } from "./nats-connection.ts";

/** How often instances tell each other. Until then each of them may let a whole limit through. */
const everyMs = 200;
/** Of one message: the server's limit is 1 MB, and a session's id has at most 128 characters. */
const maxNames = 2000;

export interface NatsUsage extends SharedUsage {
  close(): void;
}

/**
 * Rate limits of all instances together: every instance has a bucket of its own, answers from it at once, and takes out of
 * it what the others report. So the limit holds over time, and a burst can be as large as the instances are many.
 */
export function openNatsUsage(links: NatsLinks, instance: string): NatsUsage {
  const { usage: subject } = subjectsOf(links.prefix);
  const limiters = new Map<string, RateLimiter>();
  const heard = links.calls.listen(subject, (message) => note(message.json()));
  const timer = setInterval(report, everyMs).unref();

  return {
    join(name, limiter) {
      limiters.set(name, limiter);
      return () => {
        if (limiters.get(name) === limiter) limiters.delete(name);
      };
    },
    close() {
      clearInterval(timer);
      heard.unsubscribe();
    },
  };

  function report(): void {
    let used: Record<string, number> = {};
    let count = 0;
    for (const [name, limiter] of limiters) {
      const taken = limiter.countTaken();
      if (taken === 0) continue;
      used[name] = taken;
      if (++count % maxNames === 0) {
        send(used);
        used = {};
      }
    }
    if (count % maxNames > 0) send(used);
  }

  function send(used: Readonly<Record<string, number>>): void {
    if (!links.main.isClosed()) links.calls.publish(subject, JSON.stringify({ instance, used }));
  }

  function note(report: unknown): void {
    if (!isRecord(report) || report.instance === instance || !isRecord(report.used)) return;
    for (const [name, count] of Object.entries(report.used)) {
      if (typeof count === "number" && count > 0) limiters.get(name)?.noteElsewhere(count);
    }
  }
}
