import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { openCage } from "./open-cage.ts";

test.runIf(process.platform === "linux")("what makes the cage may say more after the pid", async () => {
  const script = `printf '{ "child-pid": 7' >&3; read x <&4; printf ', "net": 1 }' >&3; echo started`;
  const child = spawn("/bin/sh", ["-c", script], { stdio: ["ignore", "pipe", "inherit", "pipe", "pipe"] });
  const said = text(child.stdout!);
  const pids: number[] = [];
  await openCage(child, { onOpen: async (pid) => void pids.push(pid) });
  expect(await said).toBe("started\n");
  expect(pids).toEqual([7]);
});
