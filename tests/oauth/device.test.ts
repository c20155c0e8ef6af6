import { expect, test, vi } from "vitest";
import { controlAt } from "../support/hub-socket.ts";
import type { DeviceSignIn } from "../../src/sources/servers/oauth/grants/device-code.ts";
import type { ServerAuth } from "../../src/sources/servers/oauth/server-auth.ts";
import { startHub } from "../support/cli/run-clawport.ts";
import { runHere } from "../support/cli/test-home.ts";
import { until } from "../support/until.ts";
import { openAuthControl } from "./open-auth-control.ts";
import { type OAuthPlace, openOAuthPlace } from "./open-oauth-place.ts";

// Hubs are processes of their own, and the machine may be busy.
vi.setConfig({ testTimeout: 60_000 });

/** With the sign-ins that begin laid open. */
async function openWatched(bench: OAuthPlace) {
  const begun: DeviceSignIn[] = [];
  const control = await openAuthControl(bench, (auths) => ({
    ...auths,
    of(definition) {
      const lazy = auths.of(definition)!;
      const load = async (): Promise<ServerAuth> => {
        const auth = await lazy.load();
        const beginDevice: ServerAuth["beginDevice"] = async (options) => {
          const device = await auth.beginDevice(options);
          begun.push(device);
          return device;
        };
        return { ...auth, beginDevice };
      };
      return { ...lazy, load };
    },
  }));
  return { control, begun };
}

test("a device sign-in that is cancelled is polled no more, and leaves nothing behind", async () => {
  await using bench = await openOAuthPlace();
  const { control, begun } = await openWatched(bench);
  const { userCode } = await control.beginDevice({ server: "one" });
  const outcome = control.awaitDevice({ server: "one", userCode }).catch((error: unknown) => error);
  await control.cancelDevice({ server: "one", userCode });
  expect(await outcome).toMatchObject({ code: "cancelled" });
  await expect(begun[0]?.done).rejects.toMatchObject({ code: "cancelled" });
  await expect(control.awaitDevice({ server: "one", userCode })).rejects.toMatchObject({ code: "not-found" });
  expect(await bench.kept()).toEqual([]);
});

test("an unknown code does not count as finished", async () => {
  await using bench = await openOAuthPlace();
  const control = await openAuthControl(bench);
  await expect(control.awaitDevice({ server: "one", userCode: "ABCD-EFGH" })).rejects.toMatchObject({
    code: "not-found",
    message: expect.stringContaining("clawport auth one --device"),
  });
});

test("Ctrl-C cancels a device sign-in in the hub, too", async () => {
  await using bench = await openOAuthPlace();
  await using _hub = await startHub(bench.place, "--port", "0");
  const control = await controlAt(bench.place.home);
  try {
    const stop = new AbortController();
    let shown = "";
    const world = { stopSignal: () => stop.signal, stderr: { write: (text: string) => (shown += text) } };
    const running = runHere(bench.place, ["auth", "one", "--device"], world);
    await until(() => shown.includes("enter the code"));
    const [, code = ""] = /code: (\S+)/.exec(shown) ?? [];
    stop.abort();
    expect((await running).exit).toBe(130);
    await expect(control.signIns.awaitDevice({ server: "one", userCode: code })).rejects.toMatchObject({
      code: "not-found",
    });
  } finally {
    control.close();
  }
});

test("the configuration can choose the sign-in on another device", async () => {
  await using bench = await openOAuthPlace({ settings: () => ({ auth: { grant: "device-code" } }) });
  const { out } = await bench.signInByDevice("auth", "one", "--json");
  expect(JSON.parse(out)).toMatchObject({ signedIn: true, tools: 2 });
  expect(bench.authority.grants).toEqual(["urn:ietf:params:oauth:grant-type:device_code"]);
});
