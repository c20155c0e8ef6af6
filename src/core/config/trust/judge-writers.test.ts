import { expect, test } from "vitest";
import { judgeWriters } from "./judge-writers.ts";

const reader = { uid: 1000, ownGroup: 1000 };
const mine = { path: "/c", uid: 1000, gid: 1000, mode: 0o100644, isFolder: false };

test.each([
  ["only its owner writes it", {}, undefined],
  ["it is root's", { uid: 0 }, undefined],
  ["the owner's own group writes it", { mode: 0o100664 }, undefined],
  ["another group writes it", { mode: 0o100664, gid: 100 }, "chmod go-w"],
  ["everyone writes it", { mode: 0o100666 }, "chmod go-w"],
  ["it is another user's", { uid: 1001 }, "chown 1000"],
  ["everyone adds files to its folder", { isFolder: true, mode: 0o40777 }, "chmod go-w"],
  ["everyone adds files, and no one replaces those of others", { isFolder: true, mode: 0o41777 }, undefined],
  ["the folder is another user's", { isFolder: true, mode: 0o41777, uid: 1001 }, "chown 1000"],
])("%s", (_, change, reason) => {
  const found = judgeWriters({ ...mine, ...change }, reader);
  expect(/ch(?:mod go-w|own 1000)/.exec(found ?? "")?.[0]).toBe(reason);
});
