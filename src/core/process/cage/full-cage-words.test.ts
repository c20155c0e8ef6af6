import { expect, test } from "vitest";
import type { FullCage } from "./cage.ts";
import { fullCageWords } from "./full-cage-words.ts";

const cage: FullCage = {
  kind: "on",
  home: "/home/you",
  kept: "/opt/clawport/sandbox/notes",
  read: [],
  write: [],
  closed: ["/opt/clawport", "/tmp/.X11-unix"],
  fixedFiles: [],
  anchors: [],
  network: "none",
  cwd: "/home/you",
  env: {},
  limits: {},
  isRoot: false,
};
const words = (more: Partial<FullCage>): string => fullCageWords({ ...cage, ...more }, undefined).join(" ");

test("a state folder among the system's own folders is hidden, one that nothing shows is not made", () => {
  expect(words({})).toContain("--tmpfs /opt/clawport --remount-ro /opt/clawport");
  expect(words({})).not.toContain(".X11-unix");
});

test("what leads into a closed folder is not given, by whatever name", () => {
  const given = words({ read: ["/opt/clawport/mcp-token.txt", "/data"], write: ["/opt/clawport"] });
  expect(given).toContain("--ro-bind /data /data");
  expect(given).not.toContain("--ro-bind /opt/clawport");
  expect(given).not.toContain("--bind /opt/clawport /opt/clawport");
});

test("what is above a closed folder can't be moved where it could be written", () => {
  const closed = ["/home/you/.openclaw/mcp"];
  const anchors = ["/home/you/.openclaw"];
  expect(words({ closed, anchors, write: ["/home/you"] })).toContain(
    "--bind /home/you /home/you --bind /home/you/.openclaw /home/you/.openclaw --tmpfs /home/you/.openclaw/mcp",
  );
  expect(words({ closed, anchors, read: ["/home/you"] })).not.toContain("--bind /home/you/.openclaw");
});
