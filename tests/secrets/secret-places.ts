import { configSchema } from "../../src/core/config/config-schema.ts";
import type { CheckedSchema } from "../../src/core/config/check-value.ts";

/** Places of a configuration whose text, or the file that it names, can be a secret. The sweep plants one in each. */
export const secretPlaces = [
  "servers.*.url",
  "servers.*.args[]",
  "servers.*.env.*",
  "servers.*.headers.*",
  "servers.*.apiKey",
  "servers.*.tls.key",
  "servers.*.auth.clientSecret",
  "servers.*.auth.initialAccessToken",
  "servers.*.auth.privateKeyFile",
  "servers.*.auth.assertionFile",
  "servers.*.auth.idp.clientSecret",
  "servers.*.auth.idp.idTokenFile",
  "agent.model.url",
  "agent.model.apiKey",
  "agent.transcription.command[]",
  "agent.transcription.env.*",
  "agent.transcription.url",
  "agent.transcription.apiKey",
  "machine.stt.command[]",
  "catalog.embeddings.url",
  "catalog.embeddings.apiKey",
  "apps.nats.url",
  "apps.nats.credentials",
] as const;

export type SecretPlace = (typeof secretPlaces)[number];

/** Texts that are no secrets: names, patterns, addresses of Clawport itself, and files that anyone may read. */
export const harmlessPlaces: readonly RegExp[] = [
  /^\$schema$/,
  /^hub\.(?:host|publicUrl|always\[\])$/,
  /^catalog\.(?:(?:include|exclude)\[\]|embeddings\.model)$/,
  /^policy\./,
  /^agent\.(?:id|model\.name|transcription\.model)$/,
  /^agents\.\*\.servers\[\]$/,
  /^apps\.(?:host|publicUrl|prefix|allowedHosts\[\]|allowedOrigins\[\])$/,
  /^apps\.nats\.(?:prefix|ca)$/,
  /^machine\.git\.roots\[\]$/,
  /^machine\.microphone$/,
  /^machine\.canvas\.(?:trustedOrigins\[\]|browser)$/,
  /^machine\.camera\.testDevices\[\]\./,
  // Refused with a login or a query.
  /^machine\.gatewayUrl$/,
  /^servers\.\*\.(?:command|cwd|toolPrefix|roots\[\])$/,
  /^servers\.\*\.tools\./,
  /^servers\.\*\.tls\.(?:cert|ca)$/,
  // An address here is refused if it has a user, and its query is not sent anywhere.
  /^servers\.\*\.auth\.(?:clientId|clientMetadataUrl|authorizationServerUrl|redirectUri|scopes\[\]|idp\.(?:issuer|clientId))$/,
];

/** The path of every text in the schema of the configuration that is not one of a few fixed words. */
export function textPlaces(schema: CheckedSchema = configSchema, path = ""): readonly string[] {
  const { properties, patternProperties, items, type, enum: words } = schema;
  if (words !== undefined) return [];
  if (type === "string") return [path];
  const below = (key: string): string => (path === "" ? key : `${path}.${key}`);
  return [
    ...Object.entries(properties ?? {}).flatMap(([key, part]) => textPlaces(part, below(key))),
    ...Object.values(patternProperties ?? {}).flatMap((part) => textPlaces(part, below("*"))),
    ...(items === undefined ? [] : textPlaces(items, `${path}[]`)),
  ];
}
