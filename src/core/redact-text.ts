const mask = "[redacted]";
const longestText = 8192;
/** More than any single secret: a text that is cut loses this much of an unbroken last word, so no half secret is left. */
const longestWord = 1024;

const secretNames = "api[-_]?key|pass(?:word|wd|phrase)|secret|token|authorization|cookie|credentials?|private[-_]?key";

/** What ordinary words look like: `Bearer authentication failed.` says why, and holds no secret. */
const noWord = String.raw`(?![A-Z]?[a-z]{1,16}\.?(?![\w.~+/=-]))`;

const shapes: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g, mask],
  [/(\bauthorization["']?\s{0,8}[:=]\s{0,8}["']?(?:Bearer|DPoP)\s+)[\w.~+/=-]{6,}/gi, `$1${mask}`],
  [new RegExp(String.raw`\b([Bb][Ee][Aa][Rr][Ee][Rr]|[Dd][Pp][Oo][Pp])\s+${noWord}[\w.~+/=-]{6,}`, "g"), `$1 ${mask}`],
  [new RegExp(String.raw`\b(Basic|Token)\s+${noWord}(?=[\w.~+/-]*[A-Z0-9])[\w.~+/-]{8,}={0,2}`, "g"), `$1 ${mask}`],
  [/\beyJ[\w-]{5,}\.[\w-]{5,}(?:\.[\w-]*){1,3}/g, mask],
  [/\b(?:sk|pk|rk|tvly|glpat|xai|nvapi)[-_][\w-]{12,}/g, mask],
  [/\b(?:gh[pousr]|github_pat|npm|hf|dop_v1|shpat)_\w{16,}/g, mask],
  [/\bxox[a-z](?:\.[a-z]+)?-[\w-]{8,}/g, mask],
  [/\bA(?:KIA|SIA)[0-9A-Z]{16}\b/g, mask],
  [/\bAIza[\w-]{30,}/g, mask],
  [/\b([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/?#@"'<>]{1,512}@/gi, `$1${mask}@`],
  [
    /([?&#;][\w.-]{0,64}?(?:token|key|secret|pass|code|sig|auth|credential|session|jwt)[\w.-]{0,64}=)[^&\s#"'<>]+/gi,
    `$1${mask}`,
  ],
  [
    new RegExp(
      String.raw`((?:${secretNames})[\w-]{0,32}=)(?!\[redacted\]|\$\{\w+\}(?![^\s"'&;,]))(?:"[^"]*"|'[^']*'|[^\s"'&;,]+)`,
      "gi",
    ),
    `$1${mask}`,
  ],
  [new RegExp(String.raw`("[\w-]{0,64}(?:${secretNames})"\s{0,8}:\s{0,8}")(?:[^"\\]|\\.)*`, "gi"), `$1${mask}`],
  // Our own tokens: 32 random bytes in base64url. Both cases present, so a long plain name is left alone.
  [/(?<![\w-])(?=[\w-]*[a-z])(?=[\w-]*[A-Z])[\w-]{43}(?![\w-])/g, mask],
  [/(?<![\w+/-])[A-Za-z0-9+/]{43}=(?!=)/g, mask],
];

/** The text with everything that looks like a secret masked, and of bounded length. */
export function redactText(text: string): string {
  const isLong = text.length > longestText;
  let safe = isLong ? cutAtWord(text) : text;
  for (const [shape, replacement] of shapes) safe = safe.replace(shape, replacement);
  return isLong ? `${safe}… (${text.length} characters)` : safe;
}

function cutAtWord(text: string): string {
  const head = text.slice(0, longestText);
  const tail = head.slice(-longestWord);
  const lastSpace = tail.search(/\s\S*$/);
  return head.slice(0, longestText - longestWord + Math.max(lastSpace, 0));
}
