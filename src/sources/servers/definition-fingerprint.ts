import { createHash } from "node:crypto";
import { Secret } from "../../core/secret.ts";

/** A hash over a value, whatever the order of its keys. Nothing of the value can be read from it, secrets included. */
export function fingerprintOf(value: unknown): string {
  return createHash("sha256").update(write(value)).digest("hex");
}

function write(value: unknown): string {
  if (value instanceof Secret) return `secret:${JSON.stringify(value.reveal())}`;
  if (value instanceof URL) return `url:${JSON.stringify(value.href)}`;
  if (Array.isArray(value)) return `[${value.map(write).join()}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "none";
  const entries = Object.entries(value)
    .filter(([, part]) => part !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, part]) => `${JSON.stringify(key)}:${write(part)}`).join()}}`;
}
