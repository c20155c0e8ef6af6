import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { codeOf } from "../../core/fault.ts";
import { plainTextType } from "../../core/http/send-json.ts";

const compress = promisify(gzip);

/** On everything that the console answers. */
export const commonHeaders: Readonly<Record<string, string>> = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  "x-frame-options": "DENY",
};

/** Nothing from elsewhere, no inline script or style but the list of the scripts' hashes, in no frame. */
const pagePolicy = (inline: string): string =>
  [
    "default-src 'none'",
    `script-src 'self'${inline}`,
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "media-src blob:",
    "connect-src 'self'",
    "font-src 'none'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");

const types: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
  png: "image/png",
  ico: "image/x-icon",
  json: "application/json",
  webmanifest: "application/manifest+json",
};

export type ServePage = (request: IncomingMessage, response: ServerResponse, path: string) => Promise<void>;

interface PageFile {
  readonly plain: Buffer;
  readonly packed: Buffer;
  readonly policy: string;
}

/**
 * Serves the built page. Only names that a build makes are looked up, so no path leads out of the folder; every other
 * path is one of the page's own addresses, and gets the page.
 */
export function createPageServer(folder: string): ServePage {
  /** Files whose names change with their content. */
  const kept = new Map<string, PageFile>();

  async function read(name: string): Promise<PageFile | undefined> {
    const plain = await readFile(join(folder, name)).catch((error: unknown) => {
      if (["ENOENT", "ENOTDIR", "EISDIR"].includes(codeOf(error) ?? "")) return undefined;
      throw error;
    });
    return plain && { plain, packed: await compress(plain), policy: pagePolicy(importMapSource(name, plain)) };
  }

  return async (request, response, path) => {
    const [, asset] = /^(assets\/[A-Za-z0-9_-][A-Za-z0-9._-]{0,127})$/.exec(path) ?? [];
    const [, top] = /^([a-z][a-z0-9-]{0,63}\.(?:svg|png|ico|webmanifest))$/.exec(path) ?? [];
    const name = asset ?? top ?? "index.html";
    const file = kept.get(name) ?? (await read(name));
    if (asset !== undefined && file !== undefined) kept.set(name, file);
    if (file !== undefined) return send(request, response, name, file, asset !== undefined);
    if (name === "index.html") sendPlain(response, 503, notBuilt);
    else sendPlain(response, 404, "There is nothing at this address.\n");
  };
}

/** The import map with the hashes of the scripts can't be in a file of its own. */
function importMapSource(name: string, content: Buffer): string {
  if (name !== "index.html") return "";
  const [, map] = /<script type="importmap">(.*?)<\/script>/s.exec(content.toString()) ?? [];
  return map === undefined ? "" : ` 'sha256-${createHash("sha256").update(map).digest("base64")}'`;
}

const notBuilt = "The console's page has not been built. Run `npm run build` in the checkout, then reload.\n";

function send(
  request: IncomingMessage,
  response: ServerResponse,
  name: string,
  { plain, packed, policy }: PageFile,
  isKept: boolean,
): void {
  const isPacked = /\bgzip\b/.test(request.headers["accept-encoding"] ?? "");
  const body = isPacked ? packed : plain;
  response.writeHead(200, {
    ...commonHeaders,
    "content-security-policy": policy,
    "content-type": types[name.slice(name.lastIndexOf(".") + 1)] ?? "application/octet-stream",
    "content-length": body.length,
    "cache-control": isKept ? "private, max-age=31536000, immutable" : "no-store",
    vary: "accept-encoding",
    ...(isPacked && { "content-encoding": "gzip" }),
  });
  response.end(request.method === "HEAD" ? undefined : body);
}

/** A short text for a person, without the page. */
export function sendPlain(response: ServerResponse, status: number, text: string): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, {
    ...commonHeaders,
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "content-type": plainTextType,
    "content-length": Buffer.byteLength(text),
    "cache-control": "no-store",
  });
  response.end(text);
}
