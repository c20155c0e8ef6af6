import { Type } from "./schema-type.ts";
import { webOrigin } from "../http/addresses.ts";
import type { ConfigFinding } from "./check-value.ts";

const names = (description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 256 }), { default: [], description });

export const appsSchema = Type.Object(
  {
    serve: Type.Boolean({
      default: false,
      description:
        "Whether `clawport up` also runs the app proxy. Its tokens and timeouts come from the environment, as for `clawport proxy`.",
    }),
    host: Type.String({
      default: "127.0.0.1",
      minLength: 1,
      description: "Address the app proxy listens on.",
    }),
    port: Type.Integer({
      default: 8000,
      minimum: 0,
      maximum: 65_535,
      description: "Port the app proxy listens on; 0 picks a free one.",
    }),
    publicUrl: Type.Optional(
      Type.String({
        pattern: "^https?://",
        description: "Its address as seen from outside, if that is another one.",
      }),
    ),
    allowedHosts: names("Other host names that it is reached by."),
    allowedOrigins: names("Web origins whose pages may connect, such as `https://app.example.com`."),
    show: Type.Boolean({
      default: false,
      description:
        "Whether the hub also offers the tools of connected apps to its MCP clients, as `<prefix>__<tool>`. Sessions that only their own tokens open are left out.",
    }),
    open: Type.Boolean({
      default: false,
      description:
        "Whether apps that are shown may connect without a token. Every program of every user of this computer may then offer tools to your clients. By default the hub makes a token, unless the environment has one.",
    }),
    nats: Type.Optional(
      Type.Object(
        {
          url: Type.String({
            minLength: 1,
            maxLength: 2048,
            description: "Address of the NATS servers, such as `nats://host:4222`; several are separated by commas.",
          }),
          prefix: Type.Optional(
            Type.String({
              pattern: "^[A-Za-z0-9_-]{1,32}$",
              description: "What the names of its subjects and buckets begin with (`clawport` unless set).",
            }),
          ),
          credentials: Type.Optional(Type.String({ description: "File with a NATS user's credentials." })),
          drain: Type.Optional(
            Type.Integer({
              minimum: 0,
              maximum: 3600,
              description:
                "Seconds that calls have to finish when the hub stops and hands its apps over (25 unless set).",
            }),
          ),
          ca: Type.Optional(Type.String({ description: "File with the certificate authority of the NATS servers." })),
        },
        {
          additionalProperties: false,
          description: "NATS, which lets several instances of the app proxy share sessions and calls.",
        },
      ),
    ),
    prefix: Type.String({
      default: "app",
      pattern: "^[A-Za-z][A-Za-z0-9_-]{0,31}$",
      description: "What the names of those tools begin with.",
    }),
  },
  { additionalProperties: false, default: {}, description: "Tools of running apps." },
);

export type AppsConfig = Type.Static<typeof appsSchema>;

/** What a schema can't express: which fields belong together, and how a browser writes an origin. */
export function checkAppsConfig({ serve, show, allowedOrigins }: AppsConfig): readonly ConfigFinding[] {
  const findings: ConfigFinding[] = [];
  if (show && !serve) {
    findings.push({ path: ["apps", "show"], message: "needs `serve`: only apps that connect to the hub can be shown" });
  }
  for (const [index, text] of allowedOrigins.entries()) {
    const origin = webOrigin(text);
    if (origin === text) continue;
    const message = `is not a valid origin; write it like ${origin ?? "https://app.example.com"}`;
    findings.push({ path: ["apps", "allowedOrigins", index], message });
  }
  return findings;
}
