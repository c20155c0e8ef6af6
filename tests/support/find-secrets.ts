import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** A secret as it is, and as it may be written down: in an address, in a Basic header, in base64. */
function spellings(text: string): string[] {
  const base64 = Buffer.from(text).toString("base64").replace(/=+$/, "");
  // The first and last characters depend on what stands beside it.
  return [text, encodeURIComponent(text), base64.slice(4, -4), Buffer.from(text).toString("base64url").slice(4, -4)];
}

/** Which of the secrets stands where. */
export function findSecrets(texts: Readonly<Record<string, string>>, secrets: readonly string[]): string[] {
  return secrets.flatMap((value) =>
    Object.entries(texts).flatMap(([where, text]) =>
      spellings(value).some((spelling) => text.includes(spelling)) ? [`${where}: ${value.slice(0, 8)}…`] : [],
    ),
  );
}

export async function filesUnder(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(
    await Promise.all(files.map(async (file) => [file, await readFile(file, "latin1")] as const)),
  );
}
