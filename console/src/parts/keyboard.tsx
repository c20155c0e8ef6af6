import { signal } from "@preact/signals";
import { pages } from "../pages/page-table.ts";
import { navigate, pathTo } from "../router/route.tsx";
import { Button } from "./button.tsx";
import { Palette } from "./palette.tsx";
import { isTyping, paletteOpen } from "./use-key.ts";

export const helpOpen = signal(false);
export function openPalette(): void {
  paletteOpen.value = true;
}

export function PalettePlace() {
  return paletteOpen.value ? <Palette onClose={() => (paletteOpen.value = false)} /> : null;
}

const chordMs = 1200;

/** Keys that work on every page. A field that is being typed in keeps its keys. */
export function listenToKeys(): void {
  let waitsSince = 0;
  addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === "k") {
      event.preventDefault();
      if (paletteOpen.value) paletteOpen.value = false;
      else openPalette();
      return;
    }
    if (event.defaultPrevented || paletteOpen.value || event.metaKey || event.ctrlKey || event.altKey) return;
    if (event.key === "Escape") {
      helpOpen.value = false;
      if (isTyping(event.target)) (event.target as HTMLElement).blur();
      return;
    }
    if (isTyping(event.target)) return;
    const isChord = Date.now() - waitsSince < chordMs;
    waitsSince = 0;
    const page = isChord ? pages.find(({ key }) => key === event.key) : undefined;
    if (page !== undefined) {
      event.preventDefault();
      navigate(page.id === "" ? pathTo() : pathTo(page.id));
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

const rows: readonly (readonly [string, string])[] = [
  ["Ctrl-K", "Find a page, a server, a tool or something to do"],
  ["/", "Search"],
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
          {[...rows, ...pages.map(({ key, title }) => [`g ${key}`, title] as const)].map(([keys, what]) => (
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
