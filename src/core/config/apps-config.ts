import { Type } from "typebox";
import { webOrigin } from "../http/addresses.ts";
import type { ConfigFinding } from "./check-value.ts";

const names = (description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 256 }), { default: [], description });

export const appsSchema = Type.Object(
  {
    serve: Type.Boolean({
      default: false,
      description:
        "Whether `clawport up` is the app proxy, too. Its tokens and times come from the environment, as those of `clawport proxy`.",
    }),
    host: Type.String({
      default: "127.0.0.1",
      minLength: 1,
      description: "Address that apps and their clients reach.",
    }),
    port: Type.Integer({
      default: 8000,
      minimum: 0,
      maximum: 65_535,
      description: "Port that apps and their clients reach; 0 takes a free one.",
    }),
    publicUrl: Type.Optional(
      Type.String({
        pattern: "^https?://",
        description: "How they reach it from outside, where that is another address.",
      }),
    ),
    allowedHosts: names("Other names it is reached under."),
    allowedOrigins: names("Web origins whose pages may connect: `https://app.example.com`."),
    show: Type.Boolean({
      default: false,
      description:
        "Whether the hub's other doors offer the tools of connected apps, too, as `<prefix>__<tool>`. Sessions that only their own tokens open are left out.",
    }),
    prefix: Type.String({
      default: "app",
      pattern: "^[A-Za-z][A-Za-z0-9_-]{0,31}$",
      description: "What the names of their tools begin with there.",
    }),
  },
  { additionalProperties: false, default: {}, description: "Tools of running apps." },
);

export type AppsConfig = Type.Static<typeof appsSchema>;

/** What a schema can't say of apps: which fields belong together, and how a browser writes an origin. */
export function checkAppsConfig({ serve, show, allowedOrigins }: AppsConfig): readonly ConfigFinding[] {
  const findings: ConfigFinding[] = [];
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
