import type { DbusConnection } from "../../sources/machine/dbus/connection.ts";
import { type ExportedInterface, exportObjects } from "../../sources/machine/dbus/exported-objects.ts";
import { createDbusMenu, type DbusMenuEvents } from "./dbus-menu.ts";
import { drawIcon } from "./tray-icon.ts";
import { menuOf } from "./tray-menu.ts";
import { stateOf, statusLine, type TrayFacts, type TrayState } from "./tray-state.ts";

const itemPath = "/StatusNotifierItem";
const menuPath = "/MenuBar";
const watcherName = "org.kde.StatusNotifierWatcher";
const watcher = { destination: watcherName, path: "/StatusNotifierWatcher", interface: watcherName };
/** Panels are 22 to 32 pixels high, or twice that. */
const iconSizes = [22, 44];

/** An icon and its menu in the panel of a desktop, by `StatusNotifierItem`. */
export interface StatusNotifier {
  show(facts: TrayFacts): void;
  /** Whether a panel shows it. */
  isHosted(): boolean;
}

export interface StatusNotifierEvents extends DbusMenuEvents {
  /** The icon was clicked. */
  onActivate(): void;
}

/** Puts the icon into the panel, and again into every panel that comes later: a new one knows of no icons. */
export async function openStatusNotifier(bus: DbusConnection, events: StatusNotifierEvents): Promise<StatusNotifier> {
  const menu = createDbusMenu(events);
  let facts: TrayFacts = { hub: undefined, ownsNode: false, startsWithSession: false };
  let isHosted = false;
  const objectAt = exportObjects(bus, {
    [itemPath]: itemOf(() => facts, events),
    [menuPath]: menu.exported,
  });
  const item = objectAt(itemPath);
  const itemMenu = objectAt(menuPath);

  async function register(): Promise<void> {
    try {
      // By its path: so no name on the bus is needed.
      await bus.call({ ...watcher, member: "RegisterStatusNotifierItem", signature: "s", body: [itemPath] });
      const [hosted] = await bus.call({
        ...watcher,
        interface: "org.freedesktop.DBus.Properties",
        member: "Get",
        signature: "ss",
        body: [watcherName, "IsStatusNotifierHostRegistered"],
      });
      isHosted = hosted === true;
    } catch {
      isHosted = false;
    }
  }

  const changes = `type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='${watcherName}'`;
  await bus.listen(changes, ({ member, body = [] }) => {
    if (member !== "NameOwnerChanged" || body[0] !== watcherName) return;
    if (body[2] === "") isHosted = false;
    else void register();
  });
  const hosts = `type='signal',interface='${watcherName}',member='StatusNotifierHostRegistered'`;
  await bus.listen(hosts, ({ member }) => void (isHosted ||= member === "StatusNotifierHostRegistered"));
  await register();

  return {
    isHosted: () => isHosted,
    show(next) {
      const [before, now] = [stateOf(facts), stateOf(next)];
      const isOtherLine = statusLine(facts) !== statusLine(next);
      facts = next;
      if (before !== now) {
        // Not every panel shows a status, so the icon itself changes, too.
        item.emit("NewIcon");
        item.emit("NewAttentionIcon");
        item.emit("NewStatus", statusWord(now));
      }
      if (isOtherLine) {
        item.emit("NewTitle");
        item.emit("NewToolTip");
      }
      if (menu.set(menuOf(next))) itemMenu.emit("LayoutUpdated", menu.revision, 0);
    },
  };
}

const needsAttention: readonly TrayState[] = ["asks", "recording", "trouble"];
const statusWord = (state: TrayState): string => (needsAttention.includes(state) ? "NeedsAttention" : "Active");

const drawn = new Map<TrayState, readonly unknown[]>();

function pixmapsOf(state: TrayState): readonly unknown[] {
  const known = drawn.get(state) ?? iconSizes.map((size) => [size, size, drawIcon(state, size).bytes]);
  drawn.set(state, known);
  return known;
}

function itemOf(facts: () => TrayFacts, events: StatusNotifierEvents): ExportedInterface {
  const text = (read: () => string) => ({ signature: "s", read });
  const pixmaps = (read: () => readonly unknown[]) => ({ signature: "a(iiay)", read });
  const state = (): TrayState => stateOf(facts());
  return {
    name: "org.kde.StatusNotifierItem",
    properties: {
      Category: text(() => "ApplicationStatus"),
      Id: text(() => "clawport"),
      Title: text(() => "Clawport"),
      Status: text(() => statusWord(state())),
      WindowId: { signature: "i", read: () => 0 },
      IconName: text(() => ""),
      IconThemePath: text(() => ""),
      IconPixmap: pixmaps(() => pixmapsOf(state())),
      OverlayIconName: text(() => ""),
      OverlayIconPixmap: pixmaps(() => []),
      AttentionIconName: text(() => ""),
      AttentionIconPixmap: pixmaps(() => (needsAttention.includes(state()) ? pixmapsOf(state()) : [])),
      AttentionMovieName: text(() => ""),
      ToolTip: { signature: "(sa(iiay)ss)", read: () => ["", [], `Clawport: ${statusLine(facts())}`, ""] },
      // Panels that know it open the menu with either button.
      ItemIsMenu: { signature: "b", read: () => true },
      Menu: { signature: "o", read: () => menuPath },
    },
    methods: {
      ContextMenu: { takes: "ii", returns: "", run: () => [] },
      Activate: { takes: "ii", returns: "", run: () => (events.onActivate(), []) },
      SecondaryActivate: { takes: "ii", returns: "", run: () => [] },
      Scroll: { takes: "is", returns: "", run: () => [] },
    },
    signals: {
      NewTitle: "",
      NewIcon: "",
      NewAttentionIcon: "",
      NewOverlayIcon: "",
      NewToolTip: "",
      NewStatus: "s",
    },
  };
}
