import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { testSource, testTool } from "../../../tests/support/test-source.ts";
import { silentLog } from "../../core/log.ts";
import { pinRulesOf } from "./judge-pins.ts";
import { openPinnedServer } from "./pinned-server.ts";
import { screenSource } from "./screen-source.ts";

test("nothing of a server is listed before it can be read, and calls wait; then it is, and listeners are told", async () => {
  await using temp = await mkdtempDisposable(join(tmpdir(), "screen-source-"));
  const pinned = openPinnedServer({
    folder: temp.path,
    server: "git",
    clock: Date.now,
    log: silentLog,
    onOpen() {},
  });
  const ready = Promise.withResolvers<void>();
  let isReady = false;
  const read: unknown[] = [];
  const { source } = screenSource(
    testSource({
      id: "git",
      tools: [testTool("push", { description: "Pushes." })],
      resources: () => [{ uri: "a:b", name: "b", description: "B." }],
    }),
    {
      pinned,
      rules: () => pinRulesOf({}),
      reader: () => (isReady ? (parts) => (read.push(parts), []) : undefined),
      loadReader: () => (isReady ? undefined : ready.promise),
    },
  );
  let changes = 0;
  source.onChange(() => changes++);
  expect([source.tools(), source.resources?.()]).toEqual([[], []]);
  expect([read, changes]).toEqual([[], 0]);
  const { settled } = source.connecting!()!;
  isReady = true;
  ready.resolve();
  await settled;
  expect([changes, source.connecting!()]).toEqual([1, undefined]);
  expect(source.tools().map(({ name }) => name)).toEqual(["push"]);
  expect(source.resources?.().map(({ uri }) => uri)).toEqual(["a:b"]);
  expect(JSON.stringify(read)).toContain("Pushes.");
  expect(JSON.stringify(read)).toContain("B.");
  await pinned.flush();
});
