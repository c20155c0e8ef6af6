import { expect, test } from "vitest";
import { openStage } from "../../../tests/support/edit-stage.ts";
import { createAskers } from "../../catalog/guard/askers.ts";
import { createClosers } from "./engine-parts.ts";
import { createLiveMachine } from "./live-machine.ts";

test("of two edits at the same moment the later one counts", async () => {
  await using stage = await openStage({});
  const { engine } = stage;
  const wiring = {
    askers: createAskers(),
    onCall: () => () => {},
    noteEvent() {},
    tellRecording() {},
    httpAddress: () => undefined,
  };
  const closers = createClosers(engine.log);
  const live = createLiveMachine({ ...engine, closers }, { offers: "as-configured", isNode: false, wiring });
  const [on, off] = [true, false].map((enabled) => ({ ...engine.config.machine, enabled }));
  await Promise.all([live.applyTools(on!), live.applyTools(off!)]);
  expect(live.machine()).toBeUndefined();
  expect(engine.catalog.sources().map(({ id }) => id)).not.toContain("machine");
  await Promise.all([live.applyTools(on!), live.applyTools(on!)]);
  expect(engine.catalog.sources().map(({ id }) => id)).toContain("machine");
  await closers.closeAll();
  expect(engine.catalog.sources().map(({ id }) => id)).not.toContain("machine");
});
