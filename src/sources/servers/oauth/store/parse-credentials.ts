import { isRecord } from "../../../../core/is-record.ts";
import type { Credentials, PendingSignIn, StoredTokens } from "./credentials.ts";

/** Throws if the value is not a valid record. */
export function parseCredentials(value: unknown): Credentials {
  const record = requireObject(value, "the record");
  requireString(record.server, "server");
  requireString(record.resource, "resource");
  requireStringIfSet(record.issuer, "issuer");
  if (record.discovery !== undefined) checkTokenIssuer(record.discovery, "discovery");
  for (const each of Object.values(requireObject(record.clients, "clients"))) checkClient(each, "clients");
  if (record.signedInAt !== undefined) requireTime(record.signedInAt, "signedInAt");
  if (record.tokens !== undefined) checkTokens(requireObject(record.tokens, "tokens"));
  if (record.pending !== undefined) {
    for (const each of Object.values(requireObject(record.pending, "pending")))
      checkPending(requireObject(each, "pending"));
  }
  return value as Credentials;
}

function checkTokens(tokens: Fields<StoredTokens>): void {
  requireString(tokens.issuer, "tokens.issuer");
  requireString(tokens.accessToken, "tokens.accessToken");
  requireString(tokens.tokenType, "tokens.tokenType");
  requireStringIfSet(tokens.refreshToken, "tokens.refreshToken");
  requireStringIfSet(tokens.scope, "tokens.scope");
  requireStringIfSet(tokens.idToken, "tokens.idToken");
  requireTime(tokens.receivedAt, "tokens.receivedAt");
  if (tokens.expiresAt !== undefined) requireTime(tokens.expiresAt, "tokens.expiresAt");
}

function checkPending(pending: Fields<PendingSignIn>): void {
  requireString(pending.verifier, "pending.verifier");
  requireString(pending.redirectUri, "pending.redirectUri");
  requireStringIfSet(pending.scope, "pending.scope");
  requireTime(pending.startedAt, "pending.startedAt");
  const flow: Fields<PendingSignIn["flow"]> = requireObject(pending.flow, "pending.flow");
  checkTokenIssuer(flow.place, "pending.flow.place");
  checkClient(flow.client, "pending.flow.client");
}

function checkTokenIssuer(value: unknown, name: string): void {
  requireString(requireObject(requireObject(value, name).server, `${name}.server`).issuer, `${name}.server.issuer`);
}

function checkClient(value: unknown, name: string): void {
  requireString(requireObject(value, name).client_id, `${name}.client_id`);
}

type Fields<T> = { readonly [K in keyof T]?: unknown };

function requireObject(value: unknown, name: string): Record<string, unknown> {
  if (isRecord(value)) return value;
  throw new TypeError(`${name} is not an object`);
}

function requireString(value: unknown, name: string): void {
  if (typeof value !== "string") throw new TypeError(`${name} is not a string`);
}

function requireStringIfSet(value: unknown, name: string): void {
  if (value !== undefined) requireString(value, name);
}

function requireTime(value: unknown, name: string): void {
  if (typeof value !== "number" || !Number.isFinite(value)) throw new TypeError(`${name} is not a valid time`);
}
