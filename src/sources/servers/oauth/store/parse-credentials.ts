import { isRecord } from "../../../../core/is-record.ts";
import type { Credentials, PendingSignIn, StoredTokens } from "./credentials.ts";

/** Gives what was read its type, or throws: it is no record of ours then. */
export function parseCredentials(value: unknown): Credentials {
  const record = objectOf(value, "the record");
  text(record.server, "server");
  text(record.resource, "resource");
  optionalText(record.issuer, "issuer");
  if (record.discovery !== undefined) checkPlace(record.discovery, "discovery");
  for (const each of Object.values(objectOf(record.clients, "clients"))) checkClient(each, "clients");
  if (record.signedInAt !== undefined) time(record.signedInAt, "signedInAt");
  if (record.tokens !== undefined) checkTokens(objectOf(record.tokens, "tokens"));
  if (record.pending !== undefined) {
    for (const each of Object.values(objectOf(record.pending, "pending"))) checkPending(objectOf(each, "pending"));
  }
  return value as Credentials;
}

function checkTokens(tokens: Fields<StoredTokens>): void {
  text(tokens.issuer, "tokens.issuer");
  text(tokens.accessToken, "tokens.accessToken");
  text(tokens.tokenType, "tokens.tokenType");
  optionalText(tokens.refreshToken, "tokens.refreshToken");
  optionalText(tokens.scope, "tokens.scope");
  optionalText(tokens.idToken, "tokens.idToken");
  time(tokens.receivedAt, "tokens.receivedAt");
  if (tokens.expiresAt !== undefined) time(tokens.expiresAt, "tokens.expiresAt");
}

function checkPending(pending: Fields<PendingSignIn>): void {
  text(pending.verifier, "pending.verifier");
  text(pending.redirectUri, "pending.redirectUri");
  optionalText(pending.scope, "pending.scope");
  time(pending.startedAt, "pending.startedAt");
  const flow: Fields<PendingSignIn["flow"]> = objectOf(pending.flow, "pending.flow");
  checkPlace(flow.place, "pending.flow.place");
  checkClient(flow.client, "pending.flow.client");
}

function checkPlace(value: unknown, name: string): void {
  text(objectOf(objectOf(value, name).server, `${name}.server`).issuer, `${name}.server.issuer`);
}

function checkClient(value: unknown, name: string): void {
  text(objectOf(value, name).client_id, `${name}.client_id`);
}

type Fields<T> = { readonly [K in keyof T]?: unknown };

function objectOf(value: unknown, name: string): Record<string, unknown> {
  if (isRecord(value)) return value;
  throw new TypeError(`${name} is no object`);
}

function text(value: unknown, name: string): void {
  if (typeof value !== "string") throw new TypeError(`${name} is no text`);
}

function optionalText(value: unknown, name: string): void {
  if (value !== undefined) text(value, name);
}

function time(value: unknown, name: string): void {
  if (typeof value !== "number" || !Number.isFinite(value)) throw new TypeError(`${name} is no time`);
}
