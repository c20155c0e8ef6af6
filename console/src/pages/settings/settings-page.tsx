import { Link, pathTo } from "../../router/route.tsx";
import { NotFound } from "../../parts/states.tsx";
import type { PageProps } from "../page-table.ts";
import { Clients } from "./clients.tsx";
import { Configuration } from "./configuration.tsx";
import { Doctor } from "./doctor.tsx";
import { TokenPanel } from "./token-panel.tsx";

const tabs = [
  ["configuration", "Configuration"],
  ["clients", "Clients"],
  ["tokens", "Tokens"],
  ["health", "Health"],
] as const;

/** Change it safely. */
export function SettingsPage({ rest: [chosen = "configuration"] }: PageProps) {
  return (
    <div class="stack">
      <nav class="tabs" aria-label="Settings">
        {tabs.map(([id, label]) => (
          <Link key={id} to={pathTo("settings", id)} {...(id === chosen ? { "aria-current": "page" } : {})}>
            {label}
          </Link>
        ))}
      </nav>
      {chosen === "configuration" && <Configuration />}
      {chosen === "clients" && <Clients />}
      {chosen === "tokens" && <TokenPanel />}
      {chosen === "health" && <Doctor />}
      {!tabs.some(([id]) => id === chosen) && <NotFound what="page of the settings" home={pathTo("settings")} />}
    </div>
  );
}
