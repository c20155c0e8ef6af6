import { type DebianPackage, debianPackages } from "./debian-packages.ts";
import { canInstall, install, missingOf } from "./require-debian-package.ts";

/** Says what a whole run installs and how long it takes, then installs it. A run of a few files installs what they need. */
export default async function setup(): Promise<void> {
  if (process.platform !== "linux" || isOfFewFiles()) return;
  const missing = missingOf(Object.keys(debianPackages) as DebianPackage[]);
  process.stderr.write(announcement(missing, canInstall()));
  if (missing.length > 0 && canInstall()) await install(missing);
}

/** Whether the command names test files: `vitest run <file> …`. */
function isOfFewFiles(): boolean {
  return process.argv.slice(2).some((argument) => argument !== "run" && !argument.startsWith("-"));
}

function announcement(missing: readonly DebianPackage[], isInstalling: boolean): string {
  const count = `${missing.length} Debian packages`;
  const debian =
    missing.length === 0
      ? []
      : isInstalling
        ? [`  ${count} are installed first, with apt-get: ${missing.join(" ")}`]
        : [
            `  ${count} are missing. Nothing is installed: that needs root on Debian, without TEST_INSTALL=off.`,
            "  Tests that need them are skipped, and named and counted at the end. To run them, install:",
            `  apt-get install --no-install-recommends ${missing.join(" ")}`,
          ];
  return `${[
    "All tests: real servers, clients and browsers.",
    ...debian,
    "  Packages from npm that only tests use (about 300 MB) are kept in .cache, and downloaded if they are not there.",
    "  It takes about 7 minutes on two cores that do nothing else, the first run longer as it downloads; it asks nothing.",
  ].join("\n")}\n`;
}
