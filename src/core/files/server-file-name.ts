import { hash } from "node:crypto";

/**
 * The file of a server in a folder with one file for each. Some disks do not tell upper from lower case, and some names
 * belong to devices on Windows: such a server gets a hash, behind a character that no server's name has.
 */
export function serverFileName(server: string): string {
  const isPlain = /^[a-z0-9][a-z0-9_.-]{0,63}$/.test(server) && !deviceName.test(server);
  if (isPlain) return `${server}.json`;
  const readable = server
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, "_")
    .slice(0, 64);
  return `${readable}~${hash("sha256", server).slice(0, 8)}.json`;
}

const deviceName = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/;
