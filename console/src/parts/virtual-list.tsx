import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

interface VirtualListProps {
  readonly label: string;
  readonly count: number;
  readonly rowHeight: number;
  /** A row is a link or has one: arrows move between the links, Enter follows. */
  row(at: number): ComponentChildren;
  /** The row that is open: it stays in view, and has the focus if the one before had it. */
  readonly current?: number;
  keyOf?(at: number): string;
  /** Someone scrolled down, or has the pointer or the focus in the list: its rows should stay where they are. */
  onReading?(isReading: boolean): void;
  /** The rows in view changed: what is missing of them can be loaded. */
  onRange?(from: number, to: number): void;
}

/** Rows beyond the view that are rendered, too, so that scrolling shows no gaps. */
const overscan = 6;

/** A list of any length of which only the rows in view exist. */
export function VirtualList({
  label,
  count,
  rowHeight,
  row,
  current,
  keyOf = String,
  onRange,
  onReading,
}: VirtualListProps) {
  const box = useRef<HTMLDivElement>(null);
  const view = useSignal({ top: 0, height: 600 });

  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    let isOver = false;
    const tell = (): void => onReading?.(isOver || element.scrollTop > 0 || element.matches(":focus-within"));
    const over = (event: Event): void => {
      isOver = event.type === "pointerenter";
      tell();
    };
    const measure = (): void => {
      view.value = { top: element.scrollTop, height: element.clientHeight };
      tell();
    };
    for (const type of ["pointerenter", "pointerleave"]) element.addEventListener(type, over);
    for (const type of ["focusin", "focusout"]) element.addEventListener(type, () => setTimeout(tell));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    element.addEventListener("scroll", measure, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", measure);
    };
  }, []);

  const first = Math.max(0, Math.floor(view.value.top / rowHeight) - overscan);
  const last = Math.min(count, Math.ceil((view.value.top + view.value.height) / rowHeight) + overscan);
  useEffect(() => onRange?.(first, last), [first, last, count]);

  const currentKey = current === undefined || current < 0 ? undefined : keyOf(current);
  const wasCurrent = useRef(currentKey);
  useEffect(() => {
    const isMoved = wasCurrent.current !== currentKey && wasCurrent.current !== undefined;
    wasCurrent.current = currentKey;
    if (!isMoved || current === undefined || current < 0) return;
    const focused = document.activeElement;
    const isOurs =
      focused === null || focused === document.body || focused.id === "page" || focused.closest("[data-list], .detail");
    show(current, Boolean(isOurs) && !focused?.matches("input:not([type=checkbox]), textarea"));
  }, [currentKey]);

  /** Scrolls no further than needed. */
  function show(at: number, isFocused: boolean): void {
    const element = box.current;
    if (element === null) return;
    const [top, bottom] = [at * rowHeight, (at + 1) * rowHeight];
    if (top < element.scrollTop) element.scrollTop = top;
    else if (bottom > element.scrollTop + element.clientHeight) element.scrollTop = bottom - element.clientHeight;
    if (!isFocused) return;
    requestAnimationFrame(() => {
      element.querySelector<HTMLElement>(`[data-at="${at}"] :is(a, button)`)?.focus({ preventScroll: true });
    });
  }

  /** Focus moves by a row; the list scrolls along and renders it first if needed. */
  function step(by: number): void {
    const element = box.current;
    if (element === null) return;
    const focused = document.activeElement?.closest("[data-at]");
    const from = focused instanceof HTMLElement && element.contains(focused) ? Number(focused.dataset["at"]) : -1;
    const to = Math.max(0, Math.min(count - 1, from === -1 ? first + (first === 0 ? 0 : overscan) : from + by));
    show(to, true);
  }

  return (
    <div
      ref={box}
      class="virtual"
      role="list"
      aria-label={label}
      data-list=""
      tabIndex={-1}
      onKeyDown={(event) => {
        const by = steps[event.key];
        if (by === undefined) return;
        event.preventDefault();
        step(by * (event.key.startsWith("Page") ? Math.max(1, Math.floor(view.value.height / rowHeight)) : 1));
      }}
    >
      <div class="virtual-inner" role="presentation" style={{ height: `${count * rowHeight}px` }}>
        {Array.from({ length: Math.max(0, last - first) }, (_, index) => first + index).map((at) => (
          <div
            key={keyOf(at)}
            role="listitem"
            class="virtual-row"
            data-at={at}
            aria-setsize={count}
            aria-posinset={at + 1}
            style={{ top: `${at * rowHeight}px`, height: `${rowHeight}px` }}
          >
            {row(at)}
          </div>
        ))}
      </div>
    </div>
  );
}

const steps: Readonly<Record<string, number>> = {
  ArrowDown: 1,
  ArrowUp: -1,
  PageDown: 1,
  PageUp: -1,
  Home: -1e9,
  End: 1e9,
};
