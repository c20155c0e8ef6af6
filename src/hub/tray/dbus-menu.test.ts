import { expect, test } from "vitest";
import { createDbusMenu } from "./dbus-menu.ts";
import type { TrayAction, TrayItem } from "./tray-menu.ts";

function openMenu() {
  const clicked: TrayAction[] = [];
  const menu = createDbusMenu({ onClick: (action) => clicked.push(action), onOpen: () => {} });
  const run = (method: string, ...args: unknown[]) => menu.exported.methods[method]!.run(args);
  type Entry = [number, Record<string, { value: unknown }>, { value: Entry }[]];
  const find = (label: string): number | undefined => {
    const search = ([id, properties, children]: Entry): number | undefined =>
      properties["label"]?.value === label
        ? id
        : children.map(({ value }) => search(value)).find((found) => found !== undefined);
    return search(run("GetLayout", 0, -1, [])[1] as Entry);
  };
  return { menu, clicked, run, find };
}

const deny = (id: string): TrayItem => ({ kind: "action", label: `Deny ${id}`, action: { do: "deny", id } });

test("a click that comes late does what was shown, or nothing", () => {
  const { menu, clicked, run, find } = openMenu();
  menu.set([deny("1"), deny("2")]);
  const [first, second] = [find("Deny 1")!, find("Deny 2")!];
  menu.set([deny("2"), deny("3")]);
  run("Event", first, "clicked", 0, 0);
  expect(clicked).toEqual([]);
  expect(run("EventGroup", [[first, "clicked", 0, 0], [second, "clicked", 0, 0]])).toEqual([[first]]); // prettier-ignore
  expect(clicked).toEqual([{ do: "deny", id: "2" }]);
  menu.set([deny("1")]);
  expect(find("Deny 1")).not.toBe(first);
});

test("an entry in a submenu is found, and an underscore is no shortcut", () => {
  const { menu, find, run } = openMenu();
  menu.set([{ kind: "menu", label: "my_tool", items: [deny("1"), { kind: "separator" }] }]);
  expect(find("my__tool")).toBeDefined();
  expect(find("Deny 1")).toBeDefined();
  expect(run("GetGroupProperties", [], [])[0]).toHaveLength(4);
});

test("the same menu again is no news", () => {
  const { menu } = openMenu();
  expect(menu.set([deny("1")])).toBe(true);
  expect(menu.set([deny("1")])).toBe(false);
});
