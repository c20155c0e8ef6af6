/** A word that is no secret if its name does not say so: `sslmode=require`, the user in `postgres://postgres:…`. */
const ordinaryWord = /^[a-z]{1,12}$/;
/** Shorter parts of a path are versions and names. */
const shortestPathKey = 20;
const secretKey = /token|key|secret|pass|pwd|code|sig|auth|credential|session|jwt/i;

/** Whether the value of a query may be a secret. */
export function mayBeSecret(key: string, value: string): boolean {
  return secretKey.test(key) || !ordinaryWord.test(value);
}

/**
 * A secret, and what a program may print of it alone: one line of a key, the word after `Bearer`, the password in an
 * address, a value inside JSON.
 */
export function secretParts(secret: string): string[] {
  const lines = secret.split(/[\n\r]+/).map((line) => line.trim());
  return [secret, ...lines, ...credentials(secret), ...addressSecrets(secret), ...jsonTexts(secret)];
}

/** The word after the scheme of an `Authorization` header. */
function credentials(text: string): string[] {
  const [, word] = /^(?:Bearer|Basic|Token|DPoP)\s+(\S+)$/i.exec(text.trim()) ?? [];
  return word === undefined ? [] : [word];
}

/**
 * The secrets of every address in a text: user, password, the values of the query, and parts of the path that look like
 * keys, as written and decoded.
 */
export function addressSecrets(text: string): string[] {
  return (text.match(/[a-z][a-z\d+.-]*:\/\/[^\s"'<>]+/gi) ?? []).flatMap((found) => {
    const url = URL.parse(found);
    return url === null ? [] : [...userSecrets(url), ...pathSecrets(url), ...querySecrets(url, found)];
  });
}

function userSecrets({ username, password }: URL): string[] {
  const user = password !== "" && ordinaryWord.test(username) ? [] : [username];
  return [...user, password].flatMap((part) => [part, decoded(part)]);
}

function pathSecrets({ pathname }: URL): string[] {
  return pathname.split("/").filter((part) => part.length >= shortestPathKey && looksRandom(part));
}

function querySecrets({ searchParams }: URL, address: string): string[] {
  const asWritten = new Map(
    [...address.matchAll(/[?&;]([^=&#]+)=([^&#]*)/g)].map(([, key = "", value = ""]) => [key, value]),
  );
  return [...searchParams, ...asWritten].filter(([key, value]) => mayBeSecret(key, value)).map(([, value]) => value);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The texts in a JSON object or list: `{"Authorization":"Bearer …"}`. */
function jsonTexts(text: string): string[] {
  if (!/^\s*[[{]/.test(text)) return [];
  const texts: string[] = [];
  try {
    JSON.parse(text, (key, value: unknown) => {
      if (typeof value === "string" && mayBeSecret(key, value)) texts.push(value, ...credentials(value));
      return value;
    });
  } catch {
    // Not JSON after all.
  }
  return texts;
}

/**
 * Whether letters, digits and cases alternate as they do in keys, but not in names, paths, versions and dates. A name
 * that is taken for a key is only hidden.
 */
export function looksRandom(word: string): boolean {
  if (!/^[A-Za-z0-9][\w+/=~!#%^*-]{11,}$/.test(word)) return false;
  const digitChanges = countMatches(word, /[A-Za-z](?=\d)|\d(?=[A-Za-z])/g);
  const changes = digitChanges + countMatches(word, /[a-z](?=[A-Z])/g);
  if (word.includes("/")) return word.length >= 20 && digitChanges >= 2 && changes >= 6;
  return digitChanges >= 4 || (digitChanges >= 3 && word.length <= 15) || (digitChanges >= 1 && changes >= 5);
}

function countMatches(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}
