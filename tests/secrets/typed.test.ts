import { spawn } from "node:child_process";
import { expect, test } from "vitest";
import { openSecretStore } from "../../src/sources/servers/secrets/secret-store.ts";
import { clawport, mainFile, makePlace } from "../support/cli/run-clawport.ts";
import { until } from "../support/until.ts";

/** util-linux gives a program a terminal of its own. */
test.runIf(process.platform === "linux")("a secret that is typed is not shown", { timeout: 60_000 }, async () => {
  await using place = await makePlace();
  const typing = await type(place, "s3cret-valu3\u007fe\r");
  expect(typing.code).toBe(0);
  expect(typing.shown).toContain("Saved.");
  expect(typing.shown).not.toContain("s3cret");
  expect(await openSecretStore({ home: place.home, env: place.env }).get("github")).toBe("s3cret-value");

  const cancelled = await type(place, "other\u0003");
  expect(cancelled.code).not.toBe(0);
  expect(cancelled.shown).not.toContain("other");
  expect(await openSecretStore({ home: place.home, env: place.env }).get("github")).toBe("s3cret-value");
  expect((await clawport(place, "secret", "list")).out).toBe("github\n");
});

async function type(
  place: { readonly folder: string; readonly env: NodeJS.ProcessEnv },
  keys: string,
): Promise<{ readonly code: number | null; readonly shown: string }> {
  const line = `'${process.execPath}' '${mainFile}' secret set github`;
  const child = spawn("/usr/bin/script", ["-qec", line, "/dev/null"], { env: place.env, cwd: place.folder });
  let shown = "";
  child.stdout.on("data", (chunk) => (shown += String(chunk)));
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  await until(() => shown.includes("not shown"), "the question");
  child.stdin.write(keys);
  return { code: await ended, shown };
}
