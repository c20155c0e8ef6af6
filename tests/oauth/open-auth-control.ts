import type { AuthControl } from "../../src/sources/servers/handlers/auth-control.ts";
import { createLocalAuthControl } from "../../src/sources/servers/handlers/local-auth-control.ts";
import { createServerAuths, type ServerAuths } from "../../src/sources/servers/oauth/server-auths.ts";
import { openCredentialStore } from "../../src/sources/servers/oauth/store/open-credential-store.ts";
import { defined } from "../servers/start-engine.ts";
import type { OAuthPlace } from "./open-oauth-place.ts";
import { storeOptions } from "./store-options.ts";

/** Signing in as one process of this home does it, past any hub. `watch` may look at what it works with. */
export async function openAuthControl(
  bench: OAuthPlace,
  watch: (auths: ServerAuths) => ServerAuths = (auths) => auths,
): Promise<AuthControl> {
  const common = storeOptions(bench.home, bench.place.env);
  const store = async () => openCredentialStore(common);
  const definitions = await defined({ one: { url: bench.server.url } });
  const auths = watch(createServerAuths({ ...common, store }));
  return createLocalAuthControl({ auths, home: common.home, store, definitions: () => definitions });
}
