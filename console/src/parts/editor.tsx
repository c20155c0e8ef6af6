import { useRef } from "preact/hooks";

interface EditorProps {
  readonly label: string;
  readonly value: string;
  /** Lines that something is wrong with, counted from 1. */
  readonly wrongLines: readonly number[];
  onInput(text: string): void;
}

/** A text with numbered lines. Tab indents; Escape, then Tab leaves it. */
export function Editor({ label, value, wrongLines, onInput }: EditorProps) {
  const numbers = useRef<HTMLDivElement>(null);
  const count = value.split("\n").length;
  return (
    <div class="editor">
      <div ref={numbers} class="editor-lines" aria-hidden="true">
        {Array.from({ length: count }, (_, at) => (
          <span key={at} class={wrongLines.includes(at + 1) ? "wrong" : ""}>
            {at + 1}
          </span>
        ))}
      </div>
      <textarea
        aria-label={label}
        spellcheck={false}
        autocomplete="off"
        value={value}
        onInput={(event) => onInput(event.currentTarget.value)}
        onScroll={(event) => {
          if (numbers.current !== null) numbers.current.scrollTop = event.currentTarget.scrollTop;
        }}
        onKeyDown={(event) => {
          if (event.key !== "Tab" || event.shiftKey) return;
          event.preventDefault();
          const area = event.currentTarget;
          area.setRangeText("  ", area.selectionStart, area.selectionEnd, "end");
          onInput(area.value);
        }}
      />
    </div>
  );
}
