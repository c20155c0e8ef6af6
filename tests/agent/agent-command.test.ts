import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { clawport, makePlace, type Place } from "../cli/run-clawport.ts";
import { type MockModel, startMockModel } from "../openclaw/bench/mock-model.ts";

let place: Place;
let model: MockModel;

beforeEach(async () => {
  place = await makePlace();
  model = await startMockModel();
  Object.assign(place.env, { CLAWPORT_MODEL: "mock-1", CLAWPORT_MODEL_URL: model.baseUrl });
});
afterEach(async () => {
  await model[Symbol.asyncDispose]();
  await place[Symbol.asyncDispose]();
});

test("an order from the terminal is answered, and its conversation can be listed, shown and forgotten", async () => {
  expect(await clawport(place, "agent", "hello there", "--session", "work")).toMatchObject({
    exit: 0,
    out: "ECHO:hello there\n",
  });
  expect((await clawport(place, "agent", "recall", "-s", "work")).out).toBe("EARLIER=hello there\n");
  expect((await clawport(place, "sessions")).out).toMatch(/4 messages {2}work\n$/);
  expect((await clawport(place, "sessions", "show", "work")).out).toContain("user: hello there");
  expect((await clawport(place, "sessions", "delete", "work")).exit).toBe(0);
  expect((await clawport(place, "sessions", "--json")).out).toBe("[]\n");
  const gone = await clawport(place, "sessions", "show", "work");
  expect(gone).toMatchObject({ exit: 3, err: expect.stringContaining("no conversation") });
}, 60_000);

test("a file goes along, and one that can't be sent is told before anything is", async () => {
  await writeFile(join(place.folder, "notes.md"), "# The notes");
  await clawport(place, "agent", "read this", "--file", "notes.md");
  expect(JSON.stringify(model.requests[0]?.messages)).toContain("# The notes");
  await writeFile(join(place.folder, "thing.exe"), "MZ");
  const refused = await clawport(place, "agent", "x", "--file", "thing.exe");
  expect(refused).toMatchObject({ exit: 2, err: expect.stringContaining("thing.exe") });
  expect(model.requests).toHaveLength(1);
});

test("a failure goes to stderr and to the exit code; --json gives the whole result", async () => {
  const failed = await clawport(place, "agent", "fail");
  expect(failed).toMatchObject({ exit: 1, out: "", err: expect.stringMatching(/^Error: The model mock-1/) });
  const whole = JSON.parse((await clawport(place, "agent", "hello", "--json")).out);
  expect(whole).toMatchObject({ content: [{ type: "text", text: "ECHO:hello" }], isError: false });
});
