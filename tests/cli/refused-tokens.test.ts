import { expect, test, vi } from "vitest";
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
