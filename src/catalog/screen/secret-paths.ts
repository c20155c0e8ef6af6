/** Files and folders that hold secrets, wherever they are. Each part of a path is one of them, or the end of it is. */
const secretNames =
  /(?:^|[\\/])(?:\.ssh|\.aws|\.azure|\.gnupg|\.kube|\.docker[\\/]config\.json|\.config[\\/](?:gcloud|gh|op|rclone|doctl)|\.netrc|\.npmrc|\.pypirc|\.git-credentials|\.pgpass|\.my\.cnf|\.vault-token|\.htpasswd|\.env(?:\.[\w-]+)?|\.bash_history|\.zsh_history|\.password-store|\.openclaw|\.claude(?:\.json|[\\/]\.credentials\.json)|\.cursor[\\/]mcp\.json|\.codeium|\.electrum|\.bitcoin|\.ethereum|id_(?:rsa|dsa|ecdsa|ed25519)|authorized_keys|credentials(?:\.json|\.csv|\.db)?|secrets\.(?:ya?ml|json|toml|env)|service[-_]account[\w-]*\.json|master\.key|wallet\.dat|keystore(?:\.jks)?|kubeconfig|shadow|sudoers|passwd|mcp-token\.txt|mcp\.json|claude_desktop_config\.json|login data|cookies(?:\.sqlite)?|logins\.json|key[34]\.db|login\.keychain(?:-db)?|keychains|ntds\.dit|web\.config|wp-config\.php|terraform\.tfstate|keyrings?|[\w-]+\.keyring|wallets?|ssl[\\/]private|clawport[\\/]state[\w.]*|\.(?:bash|zsh)rc|\.(?:bash_)?profile|\.zprofile)(?=$|[\\/:"'`\s?#])/i;

const secretEndings = /(?:^|[\\/])[\w.-]+\.(?:pem|p12|pfx|kdbx|keychain-db|ppk|asc|keystore|jks)$/i;

/** System files beside which the word alone is common. */
const needsRoot = /(?:^|[\\/])(?:shadow|passwd|sudoers)$/i;
const needsFolder = /(?:^|[\\/])(?:credentials|cookies|keychains|keystore|login data|web\.config)$/i;
const profile =
  /(?:chrome|chromium|firefox|mozilla|brave|edge|safari|user data|library[\\/]|\.aws|\.config|appdata|etc[\\/]|~)/i;

/** Templates and documentation. */
const harmless = /\.env\.(?:example|sample|template|dist|schema|exemple|ejemplo|beispiel)$|\.env\.[jt]s$|\.pub$/i;

export function isSecretPath(path: string): boolean {
  if (path.length > 1024 || harmless.test(path)) return false;
  if (needsRoot.test(path)) return /[\\/]etc[\\/]/i.test(path) || /system32/i.test(path);
  if (needsFolder.test(path)) return profile.test(path);
  if (secretEndings.test(path)) return /^[~./\\]|^[a-z]:/i.test(path);
  return secretNames.test(path);
}

/** Live views of processes and the kernel: `environ` has the variables of a process. */
export const isProcessPath = (path: string): boolean =>
  /^\/(?:proc\/(?:self|\d+)\/(?:environ|mem|maps|fd)|dev\/mem)/.test(path);
