import { expect, test } from "vitest";
import { placeWith, runHere } from "../support/cli/test-home.ts";

test("doctor says in one line that tools of this computer lack something, and with -v what each lacks", async () => {
  await using place = await placeWith({});
  const bare = { ...place, env: { ...place.env, PATH: "/nonexistent" } };
  const short = await runHere(bare, ["doctor"]);
  expect(short.out).not.toContain("on this computer:");
  expect(short.out).toMatch(/^· the other tools of this computer lack something\n {4}→ clawport doctor -v$/m);
  const long = await runHere(bare, ["doctor", "-v"]);
  expect(long.out).toContain("no tts.speak on this computer: espeak-ng was not found");
  expect(long.out).not.toContain("clawport doctor -v");
});
