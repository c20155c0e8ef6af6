import { signal } from "@preact/signals";
import { useLayoutEffect } from "preact/hooks";

/** While the palette is open, the page below it has no keys. */
export const paletteOpen = signal(false);

/** A key of one page, for as long as it is shown. */
export function useKey(key: string, run: () => void, isOn = true): void {
  // Before the page is painted: a key works as soon as its button is seen.
  useLayoutEffect(() => {
    if (!isOn) return;
    const listen = (event: KeyboardEvent): void => {
      // A key that is held down must not answer what comes next.
      if (
        paletteOpen.value ||
        event.repeat ||
        event.key !== key ||
        event.metaKey ||
        event.ctrlKey ||
        event.altKey ||
        isTyping(event.target)
      )
        return;
      event.preventDefault();
      run();
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  });
}

export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && target.matches("input:not([type=checkbox]), textarea, select, [contenteditable]")
  );
}
