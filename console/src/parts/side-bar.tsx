import { signal } from "@preact/signals";
import { useLive } from "../hub/live.ts";
import { hub } from "../hub/control.ts";
import { hasDraft } from "../hub/drafts.ts";
import { servers, toolCount, waitingCount } from "../hub/shared.ts";
import { pages } from "../pages/page-table.ts";
import { Link, pathTo } from "../router/route.tsx";
import { Button } from "./button.tsx";
import { Brand, Icon } from "./icon.tsx";
import { helpOpen } from "./keyboard.tsx";
import { ThemeButton } from "./theme.tsx";
import { countText } from "./words.tsx";

/** Whether the navigation is shown on a narrow screen. */
export const sideOpen = signal(false);

export function SideBar({ current }: { readonly current: string }) {
  const apps = useLive(() => hub.apps.list(), ["apps"]);
  const counts: Readonly<Record<string, number | undefined>> = {
    servers: servers.value?.length,
    tools: toolCount.value,
    approvals: waitingCount.value,
    apps: apps.value?.length,
  };
  return (
    <nav class={`side${sideOpen.value ? " open" : ""}`} aria-label="Pages">
      <Link to={pathTo()} class="brand">
        <Brand /> Clawport
      </Link>
      <ul class="nav">
        {pages.map(({ id, title, icon, gap }) => {
          const count = counts[id] ?? 0;
          return (
            <li key={id} class={gap ? "nav-gap" : ""}>
              <Link to={id === "" ? pathTo() : pathTo(id)} {...(id === current ? { "aria-current": "page" } : {})}>
                <Icon name={icon} />
                {title}
                {hasDraft(id) && (
                  <span class="draft-mark">
                    <span aria-hidden="true">●</span>
                    <span class="hidden"> has changes that are not saved</span>
                  </span>
                )}
                {count > 0 && (
                  <span class={`count${id === "approvals" ? " count-now" : ""}`}>
                    {countText(count)}
                    {id === "approvals" && <span class="hidden"> waiting</span>}
                  </span>
                )}
              </Link>
            </li>
          );
        })}
      </ul>
      <div class="side-foot">
        <ThemeButton />
        <Button
          local
          kind="quiet"
          icon="help"
          label="Keyboard shortcuts"
          onClick={() => (helpOpen.value = !helpOpen.value)}
        />
      </div>
    </nav>
  );
}
