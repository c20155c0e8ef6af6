import type { AuthContext } from "../auth-context.ts";
import { readSecretFile } from "../client-authentication.ts";

/** RFC 7523 § 2.1: a JWT that the platform gave the workload stands for it. Platforms renew the file, so it is read anew. */
export async function requestWorkloadGrant({ settings }: AuthContext): Promise<URLSearchParams> {
  const assertion = await readSecretFile(settings.assertionFile ?? "", "auth.assertionFile");
  return new URLSearchParams({ grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion });
}
