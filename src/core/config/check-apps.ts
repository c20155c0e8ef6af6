import type { Finding } from "./check-value.ts";
import type { Config } from "./schema.ts";

/** What a schema can't say of apps: which fields belong together. */
export function checkApps({ serve, show }: Config["apps"]): readonly Finding[] {
  if (serve || !show) return [];
  return [{ path: ["apps", "show"], message: "needs `serve`: only apps that connect to the hub can be shown" }];
}
