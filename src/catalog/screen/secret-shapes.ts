/** A place in a text that has the shape of a secret. */
export interface SecretHit {
  readonly start: number;
  readonly end: number;
}

const shapes =
  /-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:[^-]{0,8192}-----END [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----)?|\b(?:AKIA|ASIA)[0-9A-Z]{16}\b|\bgh[pousr]_[A-Za-z0-9]{30,}|\bgithub_pat_\w{40,}|\bglpat-[\w-]{18,}|\bxox[abeoprs]-[\w-]{20,}|\bsk-(?:ant-|proj-|live-|or-)?[A-Za-z0-9_-]{24,}|\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}|\bAIza[\w-]{35}|\bnpm_[A-Za-z0-9]{36}|\bhf_[A-Za-z0-9]{30,}|\bdop_v1_[\da-f]{40,}|\bSG\.[\w-]{16,}\.[\w-]{32,}|\bya29\.[\w-]{30,}|\beyJ[\w-]{12,}\.eyJ[\w-]{12,}\.[\w-]{20,}|\b[a-z][a-z0-9+]{2,15}:\/\/[^\s:/?#@"'<>]{1,64}:[^\s/?#@"'<>]{6,128}@[\w.-]+|\b(?:aws_secret_access_key|secret_access_key|client_secret|api[_-]?key|apikey|auth[_-]?token|access[_-]?token|password|passwd|secret[_-]?key|private[_-]?key|refresh[_-]?token|sessionid|kennwort|passwort|contrase(?:ñ|n)a|mot de passe|密码|パスワード)(?:["']?\s{0,3}[:=：]|(?: (?:of|del?|du|des|for) [\w ]{2,20})? (?:is|ist|est|es) |は)\s{0,3}["']?[A-Za-z0-9+/_.~!@#$%^&*-]{12,128}/gi;

/** Placeholders, and what documentation shows. */
const placeholder =
  /example|xxxx|\.\.\.|your[-_ ]?|<|\*{3}|redacted|placeholder|changeme|dummy|sample|:password@|:pass@|:postgres@|:root@|:secret@|\$\{|process\.env|os\.environ|getenv|1234567890|abcdefghij/i;

/** One that a person chose has letters and digits or signs. */
const isNamed = /^(?:[\w-]*(?:key|token|secret|passw|kennwort|passwort|sessionid)|contrase|mot de|密码|パスワード)/i;

export function findSecret(text: string): SecretHit | undefined {
  for (const hit of secretsIn(text)) return hit;
  return undefined;
}

/** A cheap look first: none of the shapes can do without one of these. */
const mayHave =
  /-----BEGIN|AKIA|ASIA|gh[pousr]_|github_pat|glpat|xox|sk-|[rs]k_|AIza|npm_|hf_|dop_v1|SG\.|ya29|eyJ|:\/\/[^\s/]{3,}@|_?key["']?\s{0,3}[:=]|secret["']?\s{0,3}[:=]|token["']?\s{0,3}[:=]|sessionid|passw|kennwort|contrase|mot de passe|密码|パスワード/i;

export function* secretsIn(text: string): Generator<SecretHit, void, undefined> {
  if (!mayHave.test(text)) return;
  for (const match of text.matchAll(shapes)) {
    const [found] = match;
    if (placeholder.test(found.replace(/@[^@]*$/, "@"))) continue;
    if (
      isNamed.test(found) &&
      !found.includes("://") &&
      !/\d\S*[a-z]\S*$|[a-z]\S*\d\S*$/i.test(found.replace(/^.*[:=：は\s]/, ""))
    )
      continue;
    yield { start: match.index, end: match.index + found.length };
  }
}

const mask = "[masked by Clawport]";

/** The text with its secrets masked; the same text if it has none. */
export function maskSecrets(text: string): string {
  let masked = "";
  let from = 0;
  for (const { start, end } of secretsIn(text)) {
    masked += `${text.slice(from, start)}${mask}`;
    from = end;
  }
  return from === 0 ? text : masked + text.slice(from);
}
