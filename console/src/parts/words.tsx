import { signal } from "@preact/signals";
import { spanText } from "../../../src/core/text/span-text.ts";

/** Ticks every second, so that relative times stay true. */
export const now = signal(Date.now());
setInterval(() => (now.value = Date.now()), 1000);

/** A time as a person says it, with the exact one on hover. */
export function Ago({ at }: { readonly at: string | number | undefined | null }) {
  if (at === undefined || at === null) return <span class="muted">never</span>;
  const time = typeof at === "number" ? at : Date.parse(at);
  if (Number.isNaN(time)) return <span>{at}</span>;
  const date = new Date(time);
  return (
    <time dateTime={date.toISOString()} title={date.toLocaleString()}>
      {relativeTime(time, Math.max(now.value, Date.now()))}
    </time>
  );
}

function relativeTime(time: number, from: number): string {
  const past = from - time;
  const span = spanText(Math.abs(past));
  if (past > -1000 && past < 5000) return past < 0 ? "now" : "just now";
  if (past < 0 && past > -5000) return "in a few seconds";
  return past > 0 ? `${span} ago` : `in ${span}`;
}

/** `16 ms`, `1.3 s`. */
export function durationText(ms: number | undefined): string {
  if (ms === undefined) return "–";
  if (ms < 10) return `${Math.round(ms * 10) / 10} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  return spanText(ms);
}

const numbers = new Intl.NumberFormat("en-US");

export function countText(count: number): string {
  return numbers.format(count);
}

/** `412`, `12,400`, `1.2M`: no one reads all digits of a large number. */
export function shortCount(count: number): string {
  return count < 100_000 ? countText(count) : compact.format(count);
}

const compact = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 });

/** `1 tool`, `2,000 tools`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${countText(count)} ${count === 1 ? one : many}`;
}

export function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${(bytes / 1000).toFixed(bytes < 10_000 ? 1 : 0)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** A long name with its end always in view: names of one server often differ only there. */
export function Name({ name }: { readonly name: string }) {
  const text = visible(name);
  const tail = text.length > 24 ? text.slice(-10) : "";
  return (
    <span class="name middle" title={text}>
      <span class="clip">{text.slice(0, text.length - tail.length)}</span>
      {tail !== "" && <span>{tail}</span>}
    </span>
  );
}

/** Everything that would be invisible or change the direction of writing is spelled out: a name must not hide anything. */
export function visible(text: string): string {
  return text.replaceAll(
    // oxlint-disable-next-line no-control-regex
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\p{Cf}\p{Co}\p{Cn}\p{Cs}\u2028\u2029\u3164\uffa0]/gu,
    (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`,
  );
}
