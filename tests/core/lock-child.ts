import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { withFileLock } from "../../src/core/files/file-lock.ts";
import { sleep } from "../../src/core/wait.ts";

/** A real process for the lock tests: `hold` takes the lock for good, `count` adds to a number under it. */
const [, , mode, folder, proc = "/proc", rounds = "0", after = "keep"] = process.argv;
const lock = `${folder}/x.lock`;
const options = { proc, beatMs: 100, waitMs: 60_000, removeAfter: after === "remove" };

if (mode === "hold") {
  await withFileLock(lock, options, async () => {
    process.stdout.write("held\n");
    await sleep(60_000);
  });
}

if (mode === "count") {
  for (let round = 0; round < Number(rounds); round++) {
    await withFileLock(lock, options, async () => {
      appendFileSync(`${folder}/journal`, "<");
      const count = Number(readFileSync(`${folder}/count`, "utf8"));
      await sleep(Math.random() * 2);
      writeFileSync(`${folder}/count`, String(count + 1));
      appendFileSync(`${folder}/journal`, ">");
    });
  }
}
