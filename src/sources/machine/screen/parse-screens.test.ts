import { expect, test } from "vitest";
import { parseDisplays } from "./mac-screen.ts";
import { parseScreens } from "./powershell-screen.ts";
import { windowsIn } from "./sway-windows.ts";
import { parseOutputs, parseWlrRandr } from "./wayland-screen.ts";
import { parseMonitors } from "./x11-screen.ts";

test("xrandr: monitors with their places, and the first is primary if none is marked", () => {
  const text = [
    "Monitors: 2",
    " 0: +*DP-1 2560/597x1440/336+1920+0  DP-1",
    " 1: +HDMI-1 1920/527x1080/296+0+-120  HDMI-1",
    "",
  ].join("\n");
  expect(parseMonitors(text)).toEqual([
    { index: 0, name: "DP-1", primary: true, x: 1920, y: 0, width: 2560, height: 1440 },
    { index: 1, name: "HDMI-1", primary: false, x: 0, y: -120, width: 1920, height: 1080 },
  ]);
  expect(parseMonitors(text.replace("*", ""))).toMatchObject([{ primary: true }, { primary: false }]);
  expect(parseMonitors("Monitors: 0\n")).toEqual([]);
});

test("sway: outputs that are switched on", () => {
  const rect = { x: 0, y: 0, width: 1280, height: 720 };
  const on = { name: "eDP-1", active: true, focused: true, scale: 1.5, rect };
  expect(parseOutputs([{ name: "DP-2", active: false }, on])).toEqual([
    { index: 0, name: "eDP-1", primary: true, ...rect, scale: 1.5 },
  ]);
  expect(parseOutputs("odd")).toEqual([]);
});

test("wlr-randr: sizes are those that windows see", () => {
  const text = [
    'eDP-1 "AU Optronics (eDP-1)"',
    "  Enabled: yes",
    "  Modes:",
    "    3840x2160 px, 60.000000 Hz (preferred, current)",
    "    1920x1080 px, 60.000000 Hz",
    "  Position: 1920,0",
    "  Scale: 2.000000",
    'DP-1 "Other"',
    "  Enabled: no",
    "  Modes:",
    "    1920x1080 px, 60.000000 Hz (preferred)",
    "",
  ].join("\n");
  expect(parseWlrRandr(text)).toEqual([
    { index: 0, name: "eDP-1", primary: true, x: 1920, y: 0, width: 1920, height: 1080, scale: 2 },
  ]);
});

test("sway: windows are found in workspaces and in the scratchpad", () => {
  const rect = { x: 1, y: 2, width: 3, height: 4 };
  const tree = {
    type: "root",
    nodes: [
      {
        type: "workspace",
        name: "1",
        nodes: [{ id: 7, type: "con", name: "Mail\n", pid: 10, app_id: "mail", focused: true, rect }],
        floating_nodes: [{ id: 8, name: "X", pid: 11, window_properties: { class: "XTerm" }, rect }],
      },
      { type: "workspace", name: "__i3_scratch", floating_nodes: [{ id: 9, name: null, pid: 12, rect }] },
      { type: "workspace", name: "2", nodes: [] },
    ],
  };
  expect(windowsIn(tree)).toMatchObject([
    { id: "7", app: "mail", pid: 10, focused: true, minimized: false, workspace: "1", bounds: rect },
    { id: "8", app: "XTerm", focused: false },
    { id: "9", title: "", minimized: true },
  ]);
});

test("macOS and Windows: the displays of their own reports", () => {
  const displays = [
    { _name: "Color LCD", _spdisplays_resolution: "1512 x 982 @ 120.00Hz", spdisplays_main: "spdisplays_yes" },
    { _name: "odd" },
  ];
  expect(parseDisplays({ SPDisplaysDataType: [{ spdisplays_ndrvs: displays }, {}] })).toEqual([
    { index: 0, name: "Color LCD", primary: true, x: 0, y: 0, width: 1512, height: 982 },
  ]);
  const one = { name: "\\\\.\\DISPLAY1", primary: true, x: 0, y: 0, width: 1920, height: 1080 };
  expect(parseScreens(one)).toEqual([{ index: 0, ...one }]);
  expect(parseScreens([one, one])).toHaveLength(2);
});
