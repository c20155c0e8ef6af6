import { invalidRequest } from "../capability.ts";
import { runsOthers } from "./match-allowlist.ts";

/** Variables that only change how output looks. */
const harmless = /^(?:TERM|LANG|LC_[A-Z]+|COLORTERM|NO_COLOR|FORCE_COLOR)$/;

/**
 * Variables by which a caller would choose what code runs: search paths, loaders, interpreters' start-up files, and the
 * programs that others start. The list can't be complete, so variables that are not harmless also need approval.
 */
const dangerous =
  /^(?:PATH|PATHEXT|HOME|IFS|CDPATH|ENV|BASH_ENV|BASH_FUNC_.*|SHELLOPTS|BASHOPTS|PS4|PROMPT_COMMAND|ZDOTDIR|SHELL|COMSPEC|EDITOR|VISUAL|PAGER|BROWSER|MANPAGER|LESSOPEN|LESSCLOSE|LD_.*|DYLD_.*|GCONV_PATH|LOCPATH|NLSPATH|MALLOC_.*|GLIBC_.*|NODE_.*|NPM_.*|DENO_.*|BUN_.*|PYTHON.*|PERL.*|RUBY.*|GEM_.*|BUNDLE_.*|LUA_.*|JAVA_.*|JDK_.*|_JAVA_OPTIONS|CLASSPATH|PHP.*|TCL.*|GIT_.*|SSH_.*|SUDO_.*|DOCKER_.*|CLAWPORT_.*|OPENCLAW_.*)$/i;

const maxVariables = 64;
const maxValueLength = 32_768;

/** Faults with what is wrong. Nothing is dropped silently: a command that needs a variable must not run without it. */
export function checkVariables(env: Readonly<Record<string, string>>, executable: string): void {
  const names = Object.keys(env);
  if (names.length > maxVariables) throw invalidRequest(`At most ${maxVariables} variables can be set.`);
  for (const name of names) {
    const value = env[name] ?? "";
    if (!/^[A-Za-z_]\w{0,127}$/.test(name)) throw invalidRequest("The name of a variable has letters, digits and `_`.");
    if (value.length > maxValueLength || value.includes("\0"))
      throw invalidRequest(`The value of ${name} can't be used.`);
    if (dangerous.test(name) || value.startsWith("()"))
      throw invalidRequest(`${name} can't be set: it decides what code runs.`);
    if (runsOthers(executable) && !harmless.test(name))
      throw invalidRequest(`${name} can't be set for a shell or an interpreter. Write it into the command instead.`);
  }
}

/** Whether the variables may change more than how output looks. */
export function needsApproval(env: Readonly<Record<string, string>>): boolean {
  return Object.keys(env).some((name) => !harmless.test(name));
}
