/** Where an address leads, as far as its text tells. */
type AddressKind = "metadata" | "loopback" | "private" | "public";

const hostIn =
  /^(?:[a-z][a-z0-9+.-]{1,15}:\/\/)?(?:[^\s/?#@]{0,200}@)?(\[[\da-f:.%]{2,60}\]|[^\s/?#:@[\]]{1,253})(?::\d{1,5})?(?=[/?#]|$)/i;

/** Undefined if the value is no address. A bare word counts only if it is one of the known names. */
export function addressKind(value: string): AddressKind | undefined {
  const trimmed = value.trim();
  const match = hostIn.exec(trimmed);
  if (match === null) return undefined;
  const host = match[1]!
    .toLowerCase()
    .replaceAll(/^\[|\]$/g, "")
    .replace(/\.$/, "");
  const isUrl = trimmed.includes("://");
  if (metadataHosts.has(host)) return "metadata";
  if (!isUrl && !/[:/]/.test(trimmed)) return undefined;
  if (
    host === "localhost" ||
    host.endsWith(".localhost") ||
    host === "::1" ||
    host === "::" ||
    host.startsWith("::ffff:127.")
  )
    return "loopback";
  if (/\.(?:nip\.io|sslip\.io|xip\.io|localtest\.me|lvh\.me)$/.test(host)) return "private";
  if (/^f[cd][\da-f]{2}:|^fe80:/.test(host)) return "private";
  const bytes = ipv4(host);
  if (bytes === undefined) return /\.(?:internal|local|intranet|lan|corp)$/.test(host) ? "private" : "public";
  const [a, b] = bytes;
  if (a === 169 && b === 254) return bytes[2] === 169 || bytes[2] === 170 ? "metadata" : "private";
  if (a === 127 || a === 0) return "loopback";
  if (a === 10 || (a === 192 && b === 168) || (a === 172 && b >= 16 && b < 32) || (a === 100 && b >= 64 && b < 128))
    return "private";
  return "public";
}

const metadataHosts = new Set([
  "169.254.169.254",
  "metadata.google.internal",
  "metadata.goog",
  "100.100.100.200",
  "fd00:ec2::254",
  "169.254.170.2",
  "instance-data",
  "metadata.azure.com",
  "metadata.packet.net",
  "::ffff:169.254.169.254",
  "::ffff:a9fe:a9fe",
]);

/** The four bytes of an address in any notation that programs accept. */
function ipv4(host: string): readonly [number, number, number, number] | undefined {
  const parts = host.split(".");
  if (parts.length > 4 || !parts.every((part) => /^(?:0x[\da-f]{1,8}|\d{1,10})$/.test(part))) return undefined;
  const numbers = parts.map((part) =>
    part.startsWith("0x") ? parseInt(part, 16) : /^0\d/.test(part) ? parseInt(part, 8) : Number(part),
  );
  const last = numbers.pop()!;
  let value = last;
  for (const [index, number] of numbers.entries()) {
    if (number > 255) return undefined;
    value += number * 256 ** (3 - index);
  }
  if (!(value >= 0 && value < 2 ** 32)) return undefined;
  return [
    Math.floor(value / 2 ** 24) % 256,
    Math.floor(value / 2 ** 16) % 256,
    Math.floor(value / 256) % 256,
    value % 256,
  ];
}

/** An address inside this network in a notation that no person uses: one number, hex or octal parts. */
export function unusualAddress(value: string): boolean {
  const match = /^[a-z][a-z0-9+.-]{1,15}:\/\/(?:[^\s/?#@]{0,200}@)?([\dxa-f.]{2,40})(?::\d{1,5})?(?=[/?#]|$)/i.exec(
    value.trim(),
  );
  if (match === null) return false;
  const host = match[1]!.toLowerCase();
  const isUsual = /^(?:[1-9]?\d|1\d\d|2\d\d)(?:\.(?:0|[1-9]\d{0,2})){3}$/.test(host);
  return !isUsual && /^(?:0x|\d)/.test(host) && ipv4(host) !== undefined && addressKind(value) !== "public";
}
