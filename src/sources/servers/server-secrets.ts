import { isExactNumber } from "../../core/exact-number.ts";
import { Fault } from "../../core/fault.ts";
import { isRecord } from "../../core/is-record.ts";
import { isHarmlessVariable } from "../../core/process/child-env.ts";
import { secretArguments } from "../../core/secrets/redact-command-line.ts";
import type { KnownRedactor } from "../../core/secrets/redact-known.ts";
import { isSecretField } from "../../core/secrets/redact.ts";
import { addressSecrets, secretParts } from "../../core/secrets/secret-parts.ts";
import { RpcFault } from "../../mcp/messages/json-rpc.ts";
import type { HttpTarget, ServerDefinition, StdioTarget } from "./definition.ts";

/** Every value in a server's settings that may be secret: it is masked in what the server says. */
export function serverSecrets({
  transport,
  secrets,
}: Pick<ServerDefinition, "transport" | "secrets">): readonly string[] {
  const own = transport.kind === "stdio" ? commandSecrets(transport) : remoteSecrets(transport);
  return [...own, ...secrets.flatMap((secret) => secretParts(secret.reveal()))];
}

/** Any variable may be a key, whatever its name. */
function commandSecrets({ args, env }: StdioTarget): string[] {
  const variables = Object.entries(env).flatMap(([name, value]) => (isHarmlessVariable(name) ? [] : [value]));
  const addresses = [...args, ...Object.values(env)].flatMap(addressSecrets);
  return [...[...variables, ...secretArguments(args)].flatMap(secretParts), ...addresses];
}

function remoteSecrets({ url, headers, apiKey, auth }: HttpTarget): string[] {
  const values = [...Object.values(headers), ...(apiKey === undefined ? [] : [apiKey.reveal()]), ...secretFields(auth)];
  return [...values.flatMap(secretParts), ...addressSecrets(url.href)];
}

function secretFields(value: unknown): string[] {
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([key, part]) =>
    typeof part === "string" ? (isSecretField(key, part) ? [part] : []) : secretFields(part),
  );
}

/** The fault without what the redactor knows. The same fault if there is nothing to mask. */
export function redactFault(fault: Fault, redact: KnownRedactor): Fault {
  const message = redact(fault.message);
  const detail = redactJson(fault.detail, redact);
  if (message === fault.message && detail === fault.detail) return fault;
  if (fault instanceof RpcFault) return new RpcFault({ code: fault.error.code, message, data: detail });
  return new Fault(fault.code, message, { detail, cause: fault.cause });
}

function redactJson(value: unknown, redact: KnownRedactor): unknown {
  const text = JSON.stringify(value);
  if (text === undefined || redact(text) === text) return value;
  return redactTexts(value, redact);
}

const deepest = 50;

/** A copy of a plain value with every text in it redacted, keys included. What is nested too deep is left out. */
export function redactTexts(value: unknown, redact: KnownRedactor, depth = 0): unknown {
  if (typeof value === "string") return redact(value);
  if (isExactNumber(value)) return redact(value.rawJSON) === value.rawJSON ? value : redact(value.rawJSON);
  if (typeof value !== "object" || value === null) return value;
  if (depth === deepest) return "[…]";
  if (Array.isArray(value)) return value.map((part) => redactTexts(part, redact, depth + 1));
  const entries = Object.entries(value).map(([key, part]) => [redact(key), redactTexts(part, redact, depth + 1)]);
  return Object.fromEntries(entries);
}
