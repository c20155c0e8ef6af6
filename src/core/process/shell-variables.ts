import type { Env } from "./child-env.ts";

/** Whether a shell would pass on all of these variables: it drops those whose names it could not use itself. */
export function isFitForShell(env: Env): boolean {
  return Object.keys(env).every((name) => /^[A-Za-z_]\w*$/.test(name));
}

/** The variables that a shell sets, and that a program would not have without it. */
export function shellVariables(env: Env): readonly string[] {
  return ["PWD", "OLDPWD", "SHLVL", "_"].filter((name) => env[name] === undefined);
}

/** What bubblewrap starts so that a program has no `PWD` that it would not have without it. */
export function withoutPwd(env: Env): readonly string[] {
  return env["PWD"] === undefined ? ["/usr/bin/env", "-u", "PWD"] : [];
}
