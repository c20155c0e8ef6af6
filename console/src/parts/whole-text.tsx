import type { Signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { visible } from "./words.tsx";

interface WholeTextProps {
  readonly text: string;
  readonly label: string;
  /** Becomes true when the end of the text has been in view. */
  readonly isRead: Signal<boolean>;
  /** Colours lines that begin with `+` and `-`. */
  readonly isDiff?: boolean;
}

/** Colouring more lines would make the page slow. */
const maxColoured = 5000;

/** A text that a person decides about: all of it, and it is known when its end has been seen. */
export function WholeText({ text, label, isRead, isDiff = false }: WholeTextProps) {
  const end = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    isRead.value = false;
    if (end.current === null) return undefined;
    const observer = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      isRead.value = true;
      observer.disconnect();
    });
    observer.observe(end.current);
    return () => observer.disconnect();
  }, [text]);
  const lines = isDiff ? text.split("\n", maxColoured + 1) : [];
  const isColoured = isDiff && lines.length <= maxColoured;
  return (
    <pre class={`code whole${isColoured ? " diff" : ""}`} tabIndex={0} role="region" aria-label={label}>
      {isColoured
        ? lines.map((line, at) => (
            <span key={at} class={line.startsWith("+") ? "add" : line.startsWith("-") ? "cut" : ""}>
              {line === "" ? " " : visible(line)}
            </span>
          ))
        : visible(text)}
      <span ref={end} class="whole-end" />
    </pre>
  );
}

/** Why a yes is not possible yet. */
export function UnreadNote({ isRead }: Pick<WholeTextProps, "isRead">) {
  if (isRead.value) return null;
  return <p class="muted small">You can allow it when you have seen the end of the text above.</p>;
}
