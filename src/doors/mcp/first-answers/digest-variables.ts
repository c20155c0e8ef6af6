import { join } from "node:path";
import type { Env } from "../../../core/process/child-env.ts";
import { lazyCrypto } from "../../../core/secrets/crypto.ts";
import { loadStoreKey } from "../../../sources/servers/lists/store-key.ts";

/** Tells whether variables are as they were. With the key of the stored lists, since their values must not be guessed. */
export function digestVariables(names: readonly string[], env: Env, home: string): string {
  const values = names.map((name) => env[name] ?? null);
  return lazyCrypto()
    .createHmac("sha256", loadStoreKey(join(home, "lists.key")))
    .update(JSON.stringify(values))
    .digest("hex");
}
