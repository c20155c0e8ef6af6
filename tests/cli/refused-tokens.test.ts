import { expect, test, vi } from "vitest";
import { checkRefused } from "../../src/hub/doctor/check-hub.ts";
import { listTools, startHub } from "../support/cli/run-clawport.ts";
import { placeWith, runHere } from "../support/cli/test-home.ts";

vi.setConfig({ testTimeout: 60_000 });

test("a client with a wrong token shows up in the log, in status and in doctor, without its token", async () => {
  await using place = { ...(await placeWith({})), said: [] as string[] };
  await using hub = await startHub(place, "--port", "0");
  expect((await runHere(place, ["status"])).out).toMatch(/Refused tokens\s+none/);
  for (const token of ["hunter2-hunter2", "hunter2-hunter3"]) expect(await listTools(hub.ready.url, token)).toBe(401);
  const status = await runHere(place, ["status"]);
  expect(status.out).toMatch(/Refused tokens\s+2 wrong, 0 missing \(last wrong one: by node, /);
  const doctor = await runHere(place, ["doctor"]);
  expect(doctor.out).toContain(
    'the hub has refused 2 requests with a wrong token since it started, the last by "node"',
  );
  const { hub: data } = JSON.parse((await runHere(place, ["status", "--json"])).out) as { hub: object };
  expect(data).toMatchObject({ refusedTokens: { wrong: 2, missing: 0, last: { userAgent: "node" } } });
  expect(place.said.join("")).toContain("refused a client with a wrong token");
  expect([place.said.join(""), status.out, doctor.out].join("")).not.toContain("hunter2");
});

test("a refused token is no warning once its client has not tried it for ten minutes", () => {
  const at = "2026-11-18T10:00:00.000Z";
  const levelAfter = (minutes: number) =>
    checkRefused({ wrong: 1, missing: 0, last: { at } }, Date.parse(at) + minutes * 60_000).map(({ level }) => level);
  expect([levelAfter(9), levelAfter(11)]).toEqual([["warn"], ["info"]]);
});
