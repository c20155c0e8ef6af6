import type { ComponentChildren } from "preact";
import { isRefusal } from "../../../src/catalog/audit/call-words.ts";
import { serverStateRow, type StateTone, serverWord } from "../../../src/core/server-states.ts";

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

const stateTones: Record<StateTone, Tone> = { good: "ok", weak: "warn", bad: "bad", quiet: "off", busy: "busy" };

/** The state of a server in words, the same as at the command line. */
export function serverWords(server: { readonly state: string; readonly address: string }): ServerWords {
  return { tone: stateTones[serverStateRow(server.state).tone], word: serverWord(server) };
}

/** The outcome of a call in words. */
export function outcomeWords(outcome: string): ServerWords {
  if (outcome === "ok") return { tone: "ok", word: "ok" };
  if (isRefusal(outcome) || outcome === "unanswered") return { tone: "warn", word: outcome };
  if (outcome === "cancelled") return { tone: "off", word: outcome };
  return { tone: "bad", word: outcome };
}
