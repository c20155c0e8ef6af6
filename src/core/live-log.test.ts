import { expect, test } from "vitest";
import { createLiveLog } from "./live-log.ts";

test("a change of level and format holds at once, for logs that were made before it too", () => {
  const lines: string[] = [];
  const log = createLiveLog({ level: "info", format: "human", write: (line) => lines.push(line) });
  const made = log.with({ server: "notes" }).with({ id: 7 });
  made.debug("unseen");
  log.change({ level: "debug", format: "json" });
  made.debug("seen");
  log.change({ level: "error" });
  made.warn("unseen");
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    { time: expect.any(String) as string, level: "debug", message: "seen", server: "notes", id: 7 },
  ]);
});
