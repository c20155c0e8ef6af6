import { join } from "node:path";
import { silentLog } from "../../src/core/log.ts";
import type { CredentialStoreOptions } from "../../src/sources/servers/oauth/store/open-credential-store.ts";

/** What opens the sign-ins that are kept in this state folder, as any process of it does. */
export function storeOptions(
  folder: string,
  env: NodeJS.ProcessEnv,
): Pick<CredentialStoreOptions, "home" | "env" | "log"> {
  return { home: { file: (...parts) => join(folder, ...parts) }, env, log: silentLog };
}
