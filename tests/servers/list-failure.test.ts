import { expect, test } from "vitest";
import { startHub } from "../support/cli/run-clawport.ts";
import { placeWith, runHere } from "../support/cli/test-home.ts";
import { until } from "../support/until.ts";
import { openJournal } from "./open-journal.ts";

test("a server whose list can't be read is not called running, and doctor says so", { timeout: 60_000 }, async () => {
  await using journal = await openJournal();
  await using place = await placeWith({
    locked: journal.server("list-fails"),
    endless: journal.server("endless-list"),
    good: journal.server(),
  });
  const here = async (...words: string[]) => (await runHere(place, words)).out;
  await using _ = await startHub(place, "--port", "0");
  await until(async () => !(await here("servers")).match(/Connecting|Queued|Running.* None +0 /));

  const servers = await here("servers");
  expect(servers).toMatch(/Degraded \(PID \d+\): Its lists could not be read: the database is locked/);
  expect(servers).toMatch(/Degraded \(PID \d+\): Its lists could not be read: The server lists too much: tools\/list/);
  expect(servers).toMatch(/^good +Running \(PID \d+\)/m);
  const { servers: states } = JSON.parse(await here("status", "--json")) as {
    servers: { name: string; state: string }[];
  };
  expect(Object.fromEntries(states.map(({ name, state }) => [name, state]))).toEqual({
    locked: "degraded",
    endless: "degraded",
    good: "ready",
  });

  const { findings } = JSON.parse(await here("doctor", "--json")) as { findings: { level: string; what: string }[] };
  const about = (name: string) => findings.find(({ what }) => what.startsWith(`server ${name} in the hub`));
  expect(about("locked")).toMatchObject({ level: "warn", what: expect.stringContaining("the database is locked") });
  expect(about("endless")).toMatchObject({ level: "warn" });
  expect(about("good")).toMatchObject({ level: "ok" });
});
