import type { ComponentType } from "preact";
import type { IconName } from "../parts/icon.tsx";

export interface PageProps {
  /** What follows the page's name in the address. */
  readonly rest: readonly string[];
}

interface OtherPageRow {
  readonly id: string;
  readonly title: string;
  readonly icon: IconName;
  /** Begins a new group in the navigation. */
  readonly gap?: true;
  /** Lists and details scroll by themselves. */
  readonly full?: true;
  load(): Promise<ComponentType<PageProps>>;
}

interface PageRow extends OtherPageRow {
  /** After `g`, it leads here. */
  readonly key: string;
}

/** Each page is a file of its own, loaded when it is first opened. */
export const pages: readonly PageRow[] = [
  {
    id: "",
    key: "o",
    title: "Overview",
    icon: "overview",
    load: async () => (await import("./overview/overview-page.tsx")).OverviewPage,
  },
  {
    id: "servers",
    key: "s",
    title: "Servers",
    icon: "servers",
    full: true,
    load: async () => (await import("./servers/servers-page.tsx")).ServersPage,
  },
  {
    id: "tools",
    key: "t",
    title: "Tools",
    icon: "tools",
    full: true,
    load: async () => (await import("./tools/tools-page.tsx")).ToolsPage,
  },
  {
    id: "approvals",
    key: "p",
    title: "Approvals",
    icon: "approvals",
    full: true,
    load: async () => (await import("./approvals/approvals-page.tsx")).ApprovalsPage,
  },
  {
    id: "activity",
    key: "a",
    title: "Activity",
    icon: "activity",
    full: true,
    load: async () => (await import("./activity/activity-page.tsx")).ActivityPage,
  },
  {
    id: "usage",
    key: "u",
    title: "Usage",
    icon: "usage",
    full: true,
    load: async () => (await import("./usage/usage-page.tsx")).UsagePage,
  },
  {
    id: "machine",
    key: "m",
    title: "Machine",
    icon: "machine",
    gap: true,
    load: async () => (await import("./machine/machine-page.tsx")).MachinePage,
  },
  {
    id: "apps",
    key: "x",
    title: "Apps",
    icon: "apps",
    load: async () => (await import("./apps/apps-page.tsx")).AppsPage,
  },
  {
    id: "agent",
    key: "g",
    title: "Agent",
    icon: "agent",
    load: async () => (await import("./agent/agent-page.tsx")).AgentPage,
  },
  {
    id: "settings",
    key: "c",
    title: "Settings",
    icon: "settings",
    load: async () => (await import("./settings/settings-page.tsx")).SettingsPage,
  },
];

/** Pages without a place in the navigation. */
export const otherPages: readonly OtherPageRow[] = [
  {
    id: "welcome",
    title: "Set up",
    icon: "check",
    load: async () => (await import("./welcome/welcome-page.tsx")).WelcomePage,
  },
  {
    id: "signed-in",
    title: "Sign in",
    icon: "check",
    load: async () => (await import("./servers/signed-in-page.tsx")).SignedInPage,
  },
];
