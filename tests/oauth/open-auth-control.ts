import { createLocalSignIns, type SignIns } from "../../src/hub/sign-in/sign-ins.ts";
import { type AuthRegistry, createAuthRegistry } from "../../src/sources/servers/oauth/auth-registry.ts";
import { openCredentialStore } from "../../src/sources/servers/oauth/store/open-credential-store.ts";
import { defined } from "../support/start-engine.ts";
import type { OAuthPlace } from "./open-oauth-place.ts";
import { storeOptions } from "./store-options.ts";

/** Signing in as one process of this home does it, past any hub. `watch` may look at what it works with. */
export async function openAuthControl(
  bench: OAuthPlace,
  watch: (auths: AuthRegistry) => AuthRegistry = (auths) => auths,
): Promise<SignIns> {
  const common = storeOptions(bench.home, bench.place.env);
  const store = async () => openCredentialStore(common);
  const definitions = await defined({ one: { url: bench.server.url } });
  const auths = watch(createAuthRegistry({ ...common, store }));
  return createLocalSignIns({ auths, home: common.home, store, definitions: () => definitions });
}
