import { webOrigin } from "../web-origin.ts";
import type { Finding } from "./check-value.ts";
import type { Config } from "./schema.ts";

/** What a schema can't say of apps: which fields belong together, and how a browser writes an origin. */
export function checkApps({ serve, show, allowedOrigins }: Config["apps"]): readonly Finding[] {
  const findings: Finding[] = [];
  if (show && !serve) {
    findings.push({ path: ["apps", "show"], message: "needs `serve`: only apps that connect to the hub can be shown" });
  }
  for (const [index, text] of allowedOrigins.entries()) {
    const origin = webOrigin(text);
    if (origin === text) continue;
    const message = `is not an origin as browsers write it; write it like ${origin ?? "https://app.example.com"}`;
    findings.push({ path: ["apps", "allowedOrigins", index], message });
  }
  return findings;
}
