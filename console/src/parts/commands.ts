import { act } from "../hub/act.ts";
import { hub } from "../hub/control.ts";
import { mayChange } from "../hub/events.ts";
import { servers } from "../hub/shared.ts";
import { pages } from "../pages/page-table.ts";
import { navigate, pathTo } from "../router/route.tsx";
import type { IconName } from "./icon.tsx";
import { verbPlaces } from "./verb-places.ts";

/** Something that the page can do or show, found by its words. */
export interface Command {
  readonly id: string;
  readonly words: string;
  readonly also?: string;
  readonly icon: IconName;
  /** What kind of thing it is, at the end of its row. */
  readonly kind: string;
  readonly hotkey?: string;
  run(): unknown;
}

/** What is done at once instead of leading to a page. */
const acts: Readonly<Record<string, (server: string) => Promise<unknown>>> = {
  "servers.connect": async (name) => {
    const isOpen = ["ready", "degraded"].includes(servers.value?.find((each) => each.name === name)?.state ?? "");
    if (isOpen) await hub.servers.disconnect({ name });
    await hub.servers.connect({ name });
  },
  "servers.disconnect": (name) => hub.servers.disconnect({ name }),
  "servers.refresh": (name) => hub.servers.refresh({ name }),
  "configuration.reload": () => hub.configuration.reload(),
  "presence.pause": () => hub.presence.pause({ minutes: 15 }),
  "presence.resume": () => hub.presence.resume(),
};

/** Every page, every server, and every verb that this session may use. Tools are searched at the hub. */
export function listCommands(): readonly Command[] {
  const shown = pages.map(({ id, title, icon, key }) => ({
    id: `page ${id}`,
    words: title,
    icon,
    kind: "page",
    hotkey: `g ${key}`,
    run: () => navigate(pathTo(...(id === "" ? [] : [id]))),
  }));
  const names = (servers.value ?? []).map(({ name }) => name);
  const opened = names.map((name) => ({
    id: `server ${name}`,
    words: name,
    icon: "servers" as const,
    kind: "server",
    run: () => navigate(pathTo("servers", name)),
  }));
  if (!mayChange.value) return [...shown, ...opened];
  const acting = Object.entries(verbPlaces).flatMap(([verb, { words, also, to }]) =>
    (to === "server" ? names : [""]).map((name): Command => {
      const text = name === "" ? words : `${words} ${name}`;
      const run = acts[verb];
      const path = to === "server" ? ["servers", name] : to;
      return {
        id: `${verb} ${name}`,
        words: text,
        ...(also && { also }),
        icon: "right",
        kind: run === undefined ? "opens its page" : "runs at once",
        run: () => (run === undefined ? navigate(pathTo(...path)) : act(() => run(name), `Done: ${text}.`)),
      };
    }),
  );
  return [...shown, ...opened, ...acting];
}

export function toolCommand(name: string): Command {
  const run = (): void => navigate(pathTo("tools", name));
  return { id: `tool ${name}`, words: name, icon: "tools", kind: "tool", run };
}

/** Those that have all of the words, at the beginnings of theirs first. */
export function matchCommands(commands: readonly Command[], query: string): readonly Command[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const rank = ({ words: text, also = "" }: Command): number => {
    const own = text.toLowerCase().split(/[\s_-]+/);
    const other = also.split(" ");
    const each = words.map((word) => {
      if (own.some((part) => part.startsWith(word))) return 0;
      if (other.some((part) => part.startsWith(word))) return 1;
      return text.toLowerCase().includes(word) ? 2 : Infinity;
    });
    return each.reduce((sum, value) => sum + value, 0);
  };
  const ranked = commands.map((command) => ({ command, at: rank(command) }));
  return ranked
    .filter(({ at }) => at < Infinity)
    .toSorted((a, b) => a.at - b.at)
    .map(({ command }) => command);
}

const recentKey = "clawport-recent";
const maxRecent = 6;

/** The ids of what was chosen last, latest first. They stay in this browser. */
export function recentIds(): readonly string[] {
  const kept: unknown = JSON.parse(localStorage.getItem(recentKey) ?? "[]");
  return Array.isArray(kept) ? kept.filter((id) => typeof id === "string") : [];
}

export function noteRecent(id: string): void {
  const ids = [id, ...recentIds().filter((each) => each !== id)].slice(0, maxRecent);
  localStorage.setItem(recentKey, JSON.stringify(ids));
}
