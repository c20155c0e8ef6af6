import { expect, test } from "vitest";
import { cureFor } from "./refusal-cure.ts";

const ordinary = { isRestrictedByAppArmor: false, isSwitchedOff: undefined, isContainer: false, isWsl1: false };

test.each([
  ["bubblewrap is not installed", {}, "apt install bubblewrap"],
  ["bwrap: setting up uid map: Permission denied", { isRestrictedByAppArmor: true }, "bwrap-userns-restrict"],
  ["bwrap: loopback: Failed RTM_NEWADDR", { isRestrictedByAppArmor: true }, "apparmor_parser"],
  ["unshare failed", { isSwitchedOff: "user.max_user_namespaces" as const }, "sysctl user.max_user_namespaces=10000"],
  [
    "bwrap: No permissions",
    { isSwitchedOff: "kernel.unprivileged_userns_clone" as const },
    "sysctl kernel.unprivileged_userns_clone=1",
  ],
  ["bwrap: Can't mount proc on /newroot/proc", { isContainer: true }, "--security-opt systempaths=unconfined"],
  ["bubblewrap is not installed", { isWsl1: true }, "wsl --set-version"],
  ["something new", {}, "shows what the system refuses"],
])("%s with %j is cured by %s", (refusal, given, cure) => {
  expect(cureFor(refusal, { ...ordinary, ...given })).toContain(cure);
});
