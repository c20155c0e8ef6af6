import { existsSync, readFileSync } from "node:fs";

/** What this system says about namespaces, and where it runs. */
export interface CageSurroundings {
  /** Of Ubuntu: user namespaces only for programs with a profile. */
  readonly isRestrictedByAppArmor: boolean;
  readonly isSwitchedOff: "user.max_user_namespaces" | "kernel.unprivileged_userns_clone" | undefined;
  readonly isContainer: boolean;
  readonly isWsl1: boolean;
}

/** The command that lets cages be made where the system refused with this reason. */
export function cureFor(refusal: string, surroundings: CageSurroundings): string {
  if (surroundings.isWsl1) return "wsl --set-version <distribution> 2  (in Windows; WSL 1 has no namespaces)";
  if (/not installed/.test(refusal)) return "sudo apt install bubblewrap  (or the package of your distribution)";
  if (surroundings.isRestrictedByAppArmor)
    return "sudo apt install apparmor-profiles && sudo cp /usr/share/apparmor/extra-profiles/bwrap-userns-restrict /etc/apparmor.d/ && sudo apparmor_parser -r /etc/apparmor.d/bwrap-userns-restrict";
  if (surroundings.isSwitchedOff !== undefined)
    return `sudo sysctl ${surroundings.isSwitchedOff}=${surroundings.isSwitchedOff.startsWith("user") ? 10_000 : 1}`;
  if (surroundings.isContainer)
    return "docker run --security-opt seccomp=unconfined --security-opt systempaths=unconfined …  (start the container with these)";
  return "bwrap --dev-bind / / --unshare-user --unshare-pid --proc /proc true  (shows what the system refuses)";
}

export function readCageSurroundings(): CageSurroundings {
  const setting = (name: string): string | undefined => read(`/proc/sys/${name.replaceAll(".", "/")}`);
  const names = ["user.max_user_namespaces", "kernel.unprivileged_userns_clone"] as const;
  const version = read("/proc/version") ?? "";
  return {
    isRestrictedByAppArmor: setting("kernel.apparmor_restrict_unprivileged_userns") === "1",
    isSwitchedOff: names.find((name) => setting(name) === "0"),
    isContainer: ["/.dockerenv", "/run/.containerenv"].some((file) => existsSync(file)),
    isWsl1: /microsoft/i.test(version) && !/wsl2|microsoft-standard/i.test(version),
  };
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return undefined;
  }
}
