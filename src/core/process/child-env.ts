/** Variables of an environment. */
export type Env = Readonly<Record<string, string | undefined>>;

/** What any program needs to run. Everything else, above all keys and tokens, must be configured for it. */
const inheritedVariables = new Set([
  "HOME",
  "LANG",
  "LC_ALL",
  "LC_CTYPE",
  "LOGNAME",
  "PATH",
  "SHELL",
  "TERM",
  "TMPDIR",
  "TZ",
  "USER",
  "XDG_CACHE_HOME",
  "XDG_CONFIG_HOME",
  "XDG_DATA_HOME",
  "XDG_RUNTIME_DIR",
  "XDG_STATE_HOME",
  // Windows
  "APPDATA",
  "COMSPEC",
  "HOMEDRIVE",
  "HOMEPATH",
  "LOCALAPPDATA",
  "PATHEXT",
  "PROCESSOR_ARCHITECTURE",
  "PROGRAMFILES",
  "SYSTEMDRIVE",
  "SYSTEMROOT",
  "TEMP",
  "TMP",
  "USERNAME",
  "USERPROFILE",
  // To reach the network through a proxy
  "HTTPS_PROXY",
  "HTTP_PROXY",
  "NO_PROXY",
  "NODE_EXTRA_CA_CERTS",
  "SSL_CERT_FILE",
  // The registry and certificates of this computer for `npx`: npm looks for them beside the Node that runs it, which in a
  // checkout is Clawport's own.
  "NPM_CONFIG_GLOBALCONFIG",
  // How many orders of agents led to this one; see `checkOrderDepth`.
  "CLAWPORT_ORDER_DEPTH",
  // Which hub the servers belong to; see `guardRecursion`.
  "CLAWPORT_SERVING",
]);

/** Whether a variable holds no secret: every program gets it, or its name says that it is a place. */
export function isHarmlessVariable(name: string): boolean {
  return inheritedVariables.has(name.toUpperCase()) || /(?:file|path|dir|folder|home|root)$/i.test(name);
}

/** The environment for a program that is not part of Clawport. */
export function childEnv(env: Env): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    // An exported shell function is code: `() { …` runs in every shell that is started.
    if (value !== undefined && inheritedVariables.has(name.toUpperCase()) && !value.startsWith("()"))
      kept[name] = isProxy.test(name) ? withoutUser(value) : value;
  }
  return kept;
}

const isProxy = /^https?_proxy$/i;

/** The address of a proxy without a user and password, also if it has no scheme. They may contain any character. */
function withoutUser(address: string): string {
  return address.replace(/^([a-z][a-z\d+.-]*:\/\/)?.*@/is, "$1");
}
