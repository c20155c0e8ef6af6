import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { dirname, join, resolve, sep } from "node:path";

/**
 * The link on the way to this path that is in one of the folders, which a server can write: it would choose by it what its
 * next cage shows. Undefined if there is none, or if it leads to what the server can write anyway. The path must exist, and
 * the folders must be real paths.
 */
export function plantedLink(path: string, folders: readonly string[]): string | undefined {
  const isWritable = (each: string): boolean => folders.some((at) => each === at || each.startsWith(`${at}/`));
  return isWritable(realpathSync(path)) ? undefined : linkIn(path, isWritable);
}

function linkIn(path: string, isWritable: (path: string) => boolean): string | undefined {
  const words = resolve(path).split(sep).slice(1);
  for (let count = 1; count <= words.length; count++) {
    const at = `/${words.slice(0, count).join(sep)}`;
    if (!lstatSync(at).isSymbolicLink()) continue;
    const folder = realpathSync(dirname(at));
    if (isWritable(folder)) return at;
    // What it leads to may go through another link.
    return linkIn(join(resolve(folder, readlinkSync(at)), ...words.slice(count)), isWritable);
  }
  return undefined;
}
