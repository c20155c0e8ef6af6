import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import manifest from "../package.json" with { type: "json" };

const source = "openclaw-plugin";

/**
 * Everything of OpenClaw's plugin but its code, as a package of its own. OpenClaw copies the whole package of a plugin, with
 * all its dependencies, at every change of its configuration, and stands still meanwhile: so it is small and bundled.
 */
export function writePluginPackage(folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const name of ["README.md", "skills"]) cpSync(join(source, name), join(folder, name), { recursive: true });
  cpSync("LICENSE", join(folder, "LICENSE"));
  cpSync("data", join(folder, "data"), { recursive: true });
  const { version, homepage, bugs, license, repository, optionalDependencies, engines } = manifest;
  const shared = { version, homepage, bugs, license, repository, optionalDependencies, engines };
  write("package.json", shared);
  write("openclaw.plugin.json", { version });

  function write(name: string, shared: object): void {
    const own = JSON.parse(readFileSync(join(source, name), "utf8")) as object;
    writeFileSync(join(folder, name), `${JSON.stringify({ ...own, ...shared }, undefined, 2)}\n`);
  }
}
