import { signal } from "@preact/signals";
import { useLayoutEffect } from "preact/hooks";
import { navigate, pathTo } from "../router/route.tsx";
import { Button } from "./button.tsx";

export const helpOpen = signal(false);

/** `g`, then one of these. */
const pageKeys: Readonly<Record<string, string>> = {
  o: "",
  s: "servers",
  t: "tools",
  p: "approvals",
  a: "activity",
  u: "usage",
  m: "machine",
  x: "apps",
  g: "agent",
  c: "settings",
};

const chordMs = 1200;

/** Keys that work on every page. A field that is being typed in keeps its keys. */
export function listenToKeys(): void {
  let waitsSince = 0;
  addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey) return;
    if (event.key === "Escape") {
      helpOpen.value = false;
      if (isTyping(event.target)) (event.target as HTMLElement).blur();
      return;
    }
    if (isTyping(event.target)) return;
    const isChord = Date.now() - waitsSince < chordMs;
    waitsSince = 0;
    if (isChord && event.key in pageKeys) {
      event.preventDefault();
      const page = pageKeys[event.key] ?? "";
      navigate(page === "" ? pathTo() : pathTo(page));
    } else if (event.key === "g") waitsSince = Date.now();
    else if (event.key === "?") helpOpen.value = !helpOpen.value;
    else if (event.key === "/") {
      event.preventDefault();
      document.querySelector<HTMLElement>("[data-search]")?.focus();
    } else if (event.key === "ArrowDown" && isNowhere(document.activeElement)) {
      document.querySelector<HTMLElement>("[data-list] a, [data-list] button")?.focus();
    }
  });
}

/** Focus is on the page as a whole, as after following a link. */
function isNowhere(focused: Element | null): boolean {
  return focused === document.body || focused?.id === "page";
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && target.matches("input:not([type=checkbox]), textarea, select, [contenteditable]")
  );
}

/** A key of one page, for as long as it is shown. */
export function useKey(key: string, run: () => void, isOn = true): void {
  // Before the page is painted: a key works as soon as its button is seen.
  useLayoutEffect(() => {
    if (!isOn) return;
    const listen = (event: KeyboardEvent): void => {
      // A key that is held down must not answer what comes next.
      if (event.repeat || event.key !== key || event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target))
        return;
      event.preventDefault();
      run();
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  });
}

const rows: readonly (readonly [string, string])[] = [
  ["/", "Search"],
  ["g o", "Overview"],
  ["g s", "Servers"],
  ["g t", "Tools"],
  ["g p", "Approvals"],
  ["g a", "Activity"],
  ["g u", "Usage"],
  ["g m", "Machine"],
  ["g x", "Apps"],
  ["g g", "Agent"],
  ["g c", "Settings"],
  ["↑ ↓", "Move in a list"],
  ["⏎", "Open, or run a tool"],
  ["o a n v", "Answer an approval: once, always, not now, never"],
  ["j k x z", "In Approvals: next, previous, select, take a denial back"],
  ["?", "Show or hide these keys"],
];

/** All keys, in place of a manual. */
export function KeyHelp() {
  if (!helpOpen.value) return null;
  return (
    <aside class="notice" aria-label="Keyboard">
      <div class="stack-small">
        <h2>Keyboard</h2>
        <dl class="facts">
          {rows.map(([keys, what]) => (
            <>
              <dt>
                {keys.split(" ").map((key) => (
                  <kbd class="key">{key}</kbd>
                ))}
              </dt>
              <dd>{what}</dd>
            </>
          ))}
        </dl>
      </div>
      <Button local kind="quiet" icon="close" label="Close" onClick={() => (helpOpen.value = false)} />
    </aside>
  );
}
