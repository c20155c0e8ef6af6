import { Fault } from "../../core/fault.ts";
import type { ListedAppSession } from "../../hub/control/queries/list-apps.ts";
import type { Column } from "../../hub/presentation/presentation.ts";
import { defineCommand } from "../command.ts";
import { localTime } from "../output/style.ts";

export const command = defineCommand({
  name: "apps",
  summary: "list the apps that are connected to the running hub, and their tools",
  examples: ["clawport apps", "clawport apps --json | jq '.apps[].tools'"],
  async run(context) {
    const { openControl } = await import("../../hub/open-control.ts");
    const { renderTable } = await import("../output/table.ts");
    const { control, hub, close } = await openControl(context, { servers: "none" }, false);
    try {
      if (hub === undefined)
        throw new Fault("unavailable", "No hub is running, so no app is connected. Run `clawport up` to start one.");
      const { appsAddress = null, appsTokenPath: tokenPath = null } = await control.status.read();
      const apps = await control.apps.list();
      const shown = apps.length > 0 ? renderTable(apps, columns, context) : noApps(appsAddress);
      context.answer({ address: appsAddress, tokenPath, apps }, [shown, ...tokenHint(tokenPath)].join("\n"));
    } finally {
      await close();
    }
  },
});

function noApps(address: string | null): string {
  if (address === null) return "The hub takes no apps. Set `apps.serve` to true in the configuration, then restart it.";
  return `No app is connected. Apps connect to ${address}.`;
}

function tokenHint(path: string | null): string[] {
  if (path === null) return [];
  return [`Apps need the token in ${path}. Give it to them as OPENCLAW_PROXY_APP_TOKEN: \`"$(cat ${path})"\`.`];
}

const columns: readonly Column<ListedAppSession>[] = [
  { title: "APP", text: ({ name, version }) => (version === "" ? name : `${name} ${version}`) },
  {
    title: "STATUS",
    text: ({ bridge }) => bridge,
    tone: ({ bridge }) => (bridge === "connected" ? "good" : "weak"),
  },
  { title: "CALLS", text: ({ callsInFlight }) => String(callsInFlight) },
  { title: "EXPIRES", text: ({ expiresAt }) => localTime(expiresAt) },
  { title: "SESSION", text: ({ id }) => id, tone: () => "quiet" },
  { title: "TOOLS", text: ({ tools }) => tools.join(", ") },
];
