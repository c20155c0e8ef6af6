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

/** What changes the code that a program or its C library loads, most of it by naming files. */
const loading =
  /^(?:LD_\w+|LIBMOUNT_\w+|BLKID_\w+|MALLOC_\w+|GLIBC_TUNABLES|GCONV_PATH|GETCONF_DIR|HOSTALIASES|LOCALDOMAIN|LOCPATH|NIS_PATH|NLSPATH|RESOLV_HOST_CONF|RES_OPTIONS|TZDIR|ENV|BASH_ENV)$/;

/**
 * What makes a namespace runs outside of it and must not load files that the program can write: such variables are set in
 * there. `words` come before the program's command line.
 */
export function keepFromLauncher(env: Readonly<Record<string, string>>): {
  readonly env: Readonly<Record<string, string>>;
  readonly words: readonly string[];
} {
  const kept = Object.entries(env).filter(([name]) => loading.test(name));
  if (kept.length === 0) return { env, words: [] };
  return {
    env: Object.fromEntries(Object.entries(env).filter(([name]) => !loading.test(name))),
    words: ["/usr/bin/env", ...kept.map(([name, value]) => `${name}=${value}`)],
  };
}
