import dns from "node:dns";
import { syncBuiltinESMExports } from "node:module";
import { promisify } from "node:util";

/**
 * Loaded into every server before its own code: names of other machines don't resolve. So a call sends nothing to
 * anyone, and fails alike with and without a network.
 */
const resolve = dns.lookup;

function lookup(host: string, ...rest: unknown[]): void {
  if (host === "localhost") return void Reflect.apply(resolve, dns, [host, ...rest]);
  const callback = rest.at(-1) as (error: Error) => void;
  const error = new Error(`getaddrinfo ENOTFOUND ${host}`);
  process.nextTick(callback, Object.assign(error, { code: "ENOTFOUND", syscall: "getaddrinfo", hostname: host }));
}

Object.assign(dns, { lookup });
Object.assign(dns.promises, { lookup: promisify(lookup) });
syncBuiltinESMExports();
