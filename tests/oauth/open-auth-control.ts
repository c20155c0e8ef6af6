import { join } from "node:path";
import { silentLog } from "../../src/core/log.ts";
import type { AuthControl } from "../../src/sources/servers/handlers/auth-control.ts";
import { createLocalAuthControl } from "../../src/sources/servers/handlers/local-auth-control.ts";
import { createServerAuths, type ServerAuths } from "../../src/sources/servers/oauth/server-auths.ts";
import { openCredentialStore } from "../../src/sources/servers/oauth/store/open-credential-store.ts";
import { defined } from "../servers/start-engine.ts";
import type { OAuthPlace } from "./open-oauth-place.ts";

/** Signing in as one process of this home does it, past any hub. `watch` may look at what it works with. */
export async function openAuthControl(
  bench: OAuthPlace,
  watch: (auths: ServerAuths) => ServerAuths = (auths) => auths,
): Promise<AuthControl> {
  const home = { file: (...parts: string[]) => join(bench.home, ...parts) };
  const common = { home, env: bench.place.env, log: silentLog };
  const store = async () => openCredentialStore(common);
  const definitions = await defined({ one: { url: bench.server.url } });
  const auths = watch(createServerAuths({ ...common, store }));
  return createLocalAuthControl({ auths, home, store, definitions: () => definitions });
}
