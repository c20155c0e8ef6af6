import type { ComponentChildren } from "preact";

export type Tone = "ok" | "busy" | "warn" | "bad" | "off";

/** A state: always a colour, a shape and a word. */
export function StateMark({ tone, children }: { readonly tone: Tone; readonly children?: ComponentChildren }) {
  return (
    <span class={`state ${toneClass[tone]}`}>
      <Shape tone={tone} />
      {children !== undefined && <span>{children}</span>}
    </span>
  );
}

const toneClass: Record<Tone, string> = { ok: "ok", busy: "muted", warn: "warn", bad: "bad", off: "muted" };

/** Filled: fine. Ring with a gap: busy. Triangle: needs you. Square: broken. Ring: off. */
export function Shape({ tone }: { readonly tone: Tone }) {
  return (
    <svg width="10" height="10" viewBox="0 0 10 10" class={toneClass[tone]} aria-hidden="true">
      {tone === "ok" && <circle cx="5" cy="5" r="4" fill="currentColor" />}
      {tone === "busy" && (
        <circle
          class="spin"
          cx="5"
          cy="5"
          r="3.5"
          fill="none"
          stroke="currentColor"
          stroke-dasharray="14 8"
          stroke-width="1.5"
        />
      )}
      {tone === "warn" && <path d="M5 .8L9.6 9.2H.4z" fill="currentColor" />}
      {tone === "bad" && <rect x="1" y="1" width="8" height="8" rx="1" fill="currentColor" />}
      {tone === "off" && <circle cx="5" cy="5" r="3.5" fill="none" stroke="currentColor" stroke-width="1.5" />}
    </svg>
  );
}

interface ServerWords {
  readonly tone: Tone;
  readonly word: string;
}

/** The state of a server in words. */
export function serverWords(state: string): ServerWords {
  switch (state) {
    case "ready":
      return { tone: "ok", word: "ready" };
    case "degraded":
      return { tone: "warn", word: "degraded" };
    case "needs-sign-in":
      return { tone: "warn", word: "needs sign-in" };
    case "connecting":
      return { tone: "busy", word: "connecting" };
    case "reconnecting":
      return { tone: "bad", word: "down, retrying" };
    case "unusable":
      return { tone: "bad", word: "not usable" };
    case "stopped":
      return { tone: "bad", word: "stopped" };
    case "sleeping":
      return { tone: "off", word: "sleeping" };
    case "queued":
      return { tone: "off", word: "waiting" };
    default:
      return { tone: "off", word: state };
  }
}

/** The outcome of a call in words. */
export function outcomeWords(outcome: string): ServerWords {
  if (outcome === "ok") return { tone: "ok", word: "ok" };
  if (outcome === "denied" || outcome === "unanswered") return { tone: "warn", word: outcome };
  if (outcome === "cancelled") return { tone: "off", word: outcome };
  return { tone: "bad", word: outcome };
}
