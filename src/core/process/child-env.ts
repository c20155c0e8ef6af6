/** Variables of an environment. */
export type Env = Readonly<Record<string, string | undefined>>;

/** What a program needs to run at all. Everything else of ours, keys and tokens above all, it gets only when told. */
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
  // Reaching the network from behind a proxy
  "HTTPS_PROXY",
  "HTTP_PROXY",
  "NO_PROXY",
  "NODE_EXTRA_CA_CERTS",
  "SSL_CERT_FILE",
  // How many orders of agents stand behind this one; see `checkOrderDepth`.
  "CLAWPORT_ORDER_DEPTH",
  // Whose servers they are; see `joinServingChain`.
  "CLAWPORT_SERVING",
]);

/** The environment for a program that is not ours. */
export function childEnv(env: Env): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    // An exported shell function is code: `() { …` runs in every shell that is started.
    if (value !== undefined && inheritedVariables.has(name.toUpperCase()) && !value.startsWith("()"))
      kept[name] = value;
  }
  return kept;
}
