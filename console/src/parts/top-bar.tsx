import { connection } from "../hub/events.ts";
import { status } from "../hub/shared.ts";
import { Link, pathTo } from "../router/route.tsx";
import { Button } from "./button.tsx";
import { Icon } from "./icon.tsx";
import { openPalette } from "./keyboard.tsx";
import { sideOpen } from "./side-bar.tsx";
import { Shape } from "./state-mark.tsx";
import { Ago, visible } from "./words.tsx";

interface TopBarProps {
  readonly title: string;
  readonly home: string;
  readonly rest: readonly string[];
}

/** Addresses that are no names. */
const crumbs: Readonly<Record<string, string>> = { "+add": "add", "+import": "import" };

export function TopBar({ title, home, rest }: TopBarProps) {
  return (
    <header class="top">
      <span class="menu-button">
        <Button
          local
          kind="quiet"
          icon={sideOpen.value ? "close" : "menu"}
          label="Pages"
          expanded={sideOpen.value}
          onClick={() => (sideOpen.value = !sideOpen.value)}
        />
      </span>
      <h1 class="grow">
        {rest.length === 0 ? (
          title
        ) : (
          <>
            <Link to={pathTo(home)} class="crumb">
              {title}
            </Link>
            <span class="crumb" aria-hidden="true">
              ▸
            </span>
            <span class="crumb-end clip">
              {visible(rest.map((part) => crumbs[part] ?? part).join(" ▸ ")).slice(0, 200)}
            </span>
          </>
        )}
      </h1>
      <button type="button" class="button find-button" aria-keyshortcuts="Control+K" onClick={openPalette}>
        <Icon name="search" size={14} />
        <span class="wide-only">Find or do</span>
        <kbd class="wide-only" aria-hidden="true">
          Ctrl K
        </kbd>
        <span class="hidden"> anything</span>
      </button>
      <LiveMark />
    </header>
  );
}

/** Honest about being live: connected, or since when not. */
function LiveMark() {
  const { state, newsAt } = connection.value;
  const address = status.value?.address;
  const port = address === undefined ? "" : new URL(address).port;
  return (
    <span class="live" data-connection={state}>
      <Shape tone={state === "live" ? "ok" : state === "lost" ? "bad" : "busy"} />
      {state === "live" && (
        <span>
          {port === "" ? (
            "Live"
          ) : (
            <>
              Listening <span class="num">{port}</span>
            </>
          )}
        </span>
      )}
      {state === "connecting" && <span>Connecting…</span>}
      {state === "lost" && (
        <span>
          Not connected
          <span class="wide-only">
            {" "}
            · last news <Ago at={newsAt || undefined} />
          </span>
        </span>
      )}
    </span>
  );
}
