import type { DbusVariant } from "../../sources/machine/dbus/marshal.ts";
import type { ExportedInterface } from "../../sources/machine/dbus/exported-objects.ts";
import type { TrayAction, TrayItem } from "./tray-menu.ts";

/** The menu as `com.canonical.dbusmenu` has it. */
export interface DbusMenu {
  readonly exported: ExportedInterface;
  readonly revision: number;
  /** Whether it differs from the last one. */
  set(items: readonly TrayItem[]): boolean;
}

export interface DbusMenuEvents {
  onClick(action: TrayAction): void;
  /** The menu is about to be shown. */
  onOpen(): void;
}

interface MenuEntry {
  readonly id: number;
  readonly properties: Readonly<Record<string, DbusVariant>>;
  readonly children: readonly MenuEntry[];
  readonly action?: TrayAction;
}

const asText = (value: string): DbusVariant => ({ signature: "s", value });
const rootId = 0;

/**
 * An id is never used for another action: a click on a menu that has changed meanwhile does what was shown, or nothing. The
 * hosts use different methods for the same thing, so all of them are here.
 */
export function createDbusMenu({ onClick, onOpen }: DbusMenuEvents): DbusMenu {
  let entries = new Map<number, MenuEntry>();
  let ids = new Map<string, number>();
  let lastId = rootId;
  let revision = 1;
  let shown = "";

  function build(items: readonly TrayItem[]): void {
    const known = ids;
    ids = new Map();
    entries = new Map();
    const idOf = (key: string): number => {
      const id = known.get(key) ?? ++lastId;
      ids.set(key, id);
      return id;
    };
    const add = (item: TrayItem, key: string): MenuEntry => {
      const id = idOf(key);
      const children = item.kind === "menu" ? addAll(item.items, key) : [];
      const action = item.kind === "action" ? item.action : undefined;
      const entry = { id, properties: propertiesOf(item), children, ...(action && { action }) };
      entries.set(id, entry);
      return entry;
    };
    const addAll = (list: readonly TrayItem[], parent: string): readonly MenuEntry[] =>
      list.map((item, index) => add(item, keyOf(item, parent, index)));
    const root = { id: rootId, properties: submenu, children: addAll(items, "") };
    entries.set(rootId, root);
  }

  function layout({ id, properties, children }: MenuEntry, depth: number): readonly unknown[] {
    const below = depth === 0 ? [] : children;
    return [id, properties, below.map((child) => ({ signature: entryType, value: layout(child, depth - 1) }))];
  }

  /** Whether there is such an entry. */
  function take(id: number, event: unknown): boolean {
    const entry = entries.get(id);
    if (entry === undefined) return false;
    if (event === "clicked" && entry.action !== undefined) onClick(entry.action);
    if (event === "opened" && id === rootId) onOpen();
    return true;
  }

  function open(ids: readonly number[]): void {
    if (ids.includes(rootId)) onOpen();
  }

  const asked = (list: readonly number[]): readonly MenuEntry[] =>
    list.length === 0 ? [...entries.values()] : list.flatMap((id) => entries.get(id) ?? []);

  build([]);
  return {
    get revision() {
      return revision;
    },
    set(items) {
      const text = JSON.stringify(items);
      if (text === shown) return false;
      shown = text;
      revision++;
      build(items);
      return true;
    },
    exported: {
      name: "com.canonical.dbusmenu",
      properties: {
        Version: { signature: "u", read: () => 3 },
        Status: { signature: "s", read: () => "normal" },
        TextDirection: { signature: "s", read: () => "ltr" },
        IconThemePath: { signature: "as", read: () => [] },
      },
      methods: {
        GetLayout: {
          takes: "iias",
          returns: `u${entryType}`,
          run([parent, depth]) {
            const entry = entries.get(Number(parent)) ?? { id: Number(parent), properties: {}, children: [] };
            return [revision, layout(entry, Number(depth))];
          },
        },
        GetGroupProperties: {
          takes: "aias",
          returns: "a(ia{sv})",
          run: ([list]) => [asked(list as number[]).map(({ id, properties }) => [id, properties])],
        },
        GetProperty: {
          takes: "is",
          returns: "v",
          run: ([id, name]) => [entries.get(Number(id))?.properties[String(name)] ?? asText("")],
        },
        Event: { takes: "isvu", returns: "", run: ([id, event]) => (take(Number(id), event), []) },
        EventGroup: {
          takes: "a(isvu)",
          returns: "ai",
          run: ([events]) => [
            (events as [number, unknown][]).filter(([id, event]) => !take(id, event)).map(([id]) => id),
          ],
        },
        AboutToShow: { takes: "i", returns: "b", run: ([id]) => (open([Number(id)]), [false]) },
        AboutToShowGroup: { takes: "ai", returns: "aiai", run: ([list]) => (open(list as number[]), [[], []]) },
      },
      signals: {
        ItemsPropertiesUpdated: "a(ia{sv})a(ias)",
        LayoutUpdated: "ui",
        ItemActivationRequested: "iu",
      },
    },
  };
}

const entryType = "(ia{sv}av)";
const submenu = { "children-display": asText("submenu") };

function propertiesOf(item: TrayItem): Readonly<Record<string, DbusVariant>> {
  if (item.kind === "separator") return { type: asText("separator") };
  // An underscore marks the letter for the keyboard.
  const label = asText(item.label.replaceAll("_", "__"));
  switch (item.kind) {
    case "text":
      return { label, enabled: { signature: "b", value: false } };
    case "menu":
      return { label, ...submenu };
    case "action": {
      if (item.checked === undefined) return { label };
      const state = { signature: "i", value: item.checked ? 1 : 0 };
      return { label, "toggle-type": asText("checkmark"), "toggle-state": state };
    }
  }
}

/** By what it does, if it does something; else by what and where it is. */
function keyOf(item: TrayItem, parent: string, index: number): string {
  switch (item.kind) {
    case "action":
      return JSON.stringify(item.action);
    case "separator":
      return `${parent}/${index}`;
    default:
      return `${parent}/${item.kind}/${item.label}`;
  }
}
