import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { silentLog } from "../../src/core/log.ts";
import { Secret } from "../../src/core/secret.ts";
import { createLocalAuthControl } from "../../src/sources/servers/handlers/local-auth-control.ts";
import { createRemoteControl } from "../../src/sources/servers/handlers/remote-control.ts";
import type { DeviceSignIn } from "../../src/sources/servers/oauth/grants/device-code.ts";
import { createServerAuths, type ServerAuths } from "../../src/sources/servers/oauth/server-auths.ts";
import { openCredentialStore } from "../../src/sources/servers/oauth/store/open-credential-store.ts";
import { startHub } from "../cli/run-clawport.ts";
import { runHere } from "../cli/shelf.ts";
import { defined } from "../servers/start-engine.ts";
import { until } from "../support/until.ts";
import { createVisitor } from "./bench/consent.ts";
import { openOAuthPlace, type OAuthPlace } from "./open-oauth-place.ts";

// Hubs are processes of their own, and the machine may be busy.
vi.setConfig({ testTimeout: 60_000 });

/** Signing in as one process of this home does it, with the sign-ins on other devices laid open. */
async function openAuth(bench: OAuthPlace) {
  const home = { file: (...parts: string[]) => join(bench.home, ...parts) };
  const common = { home, env: bench.place.env, log: silentLog };
  const store = async () => openCredentialStore(common);
  const definitions = await defined({ one: { url: bench.server.url } });
  const auths = createServerAuths({ ...common, store });
  const begun: DeviceSignIn[] = [];
  const watched: ServerAuths = {
    ...auths,
    of(definition) {
      const auth = auths.of(definition);
      return (
        auth && {
          ...auth,
          async beginDevice(options) {
            const device = await auth.beginDevice(options);
            begun.push(device);
            return device;
          },
        }
      );
    },
  };
  const control = createLocalAuthControl({ auths: watched, home, store, definitions: () => definitions });
  return { control, begun };
}

test("one that is given up is asked for no more, and leaves nothing behind", async () => {
  await using bench = await openOAuthPlace();
  const { control, begun } = await openAuth(bench);
  const { userCode } = await control.beginDevice("one", {});
  const outcome = control.awaitDevice("one", userCode).catch((error: unknown) => error);
  await control.cancelDevice("one", userCode);
  expect(await outcome).toMatchObject({ code: "cancelled" });
  await expect(begun[0]?.done).rejects.toThrow("aborted");
  await expect(control.awaitDevice("one", userCode)).rejects.toMatchObject({ code: "not-found" });
  expect(await bench.kept()).toEqual([]);
});

test("a code that nobody was given is not taken for one that is done", async () => {
  await using bench = await openOAuthPlace();
  const { control } = await openAuth(bench);
  await expect(control.awaitDevice("one", "ABCD-EFGH")).rejects.toMatchObject({
    code: "not-found",
    message: expect.stringContaining("clawport auth one --device"),
  });
});

test("Ctrl-C ends it in the hub, too", async () => {
  await using bench = await openOAuthPlace();
  await using hub = await startHub(bench.place, "--port", "0");
  const token = new Secret((await readFile(hub.ready.tokenPath, "utf8")).trim());
  const control = createRemoteControl({ address: new URL(hub.ready.url).origin, token });
  try {
    const stop = new AbortController();
    let shown = "";
    const world = { stopSignal: () => stop.signal, stderr: { write: (text: string) => (shown += text) } };
    const running = runHere(bench.place, ["auth", "one", "--device"], world);
    await until(() => shown.includes("enter the code"));
    const [, code = ""] = /code: (\S+)/.exec(shown) ?? [];
    stop.abort();
    expect((await running).exit).toBe(130);
    await expect(control.auth.awaitDevice("one", code)).rejects.toMatchObject({ code: "not-found" });
  } finally {
    control.close();
  }
});

test("the configuration may say that a server is signed in to on another device", async () => {
  await using bench = await openOAuthPlace({ settings: () => ({ auth: { grant: "device-code" } }) });
  let shown = "";
  const stderr = { write: (text: string) => (shown += text) };
  const signingIn = runHere(bench.place, ["auth", "one", "--json"], { stderr });
  await until(() => shown.includes("enter the code"));
  const [, address = "", code = ""] = /open (\S+)\n.*code: (\S+)/.exec(shown) ?? [];
  await createVisitor().confirmDevice(`${address}?user_code=${code}`);
  expect(JSON.parse((await signingIn).out)).toMatchObject({ signedIn: true, tools: 2 });
  expect(bench.authority.grants).toEqual(["urn:ietf:params:oauth:grant-type:device_code"]);
});
