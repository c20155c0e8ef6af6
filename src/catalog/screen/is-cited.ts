import type { WordSpan } from "./match-words.ts";

const openings = '„“«「『"`';
const closings = new Map([
  ["„", "“”"],
  ["“", "”"],
  ["«", "»"],
  ["「", "」"],
  ["『", "』"],
  ['"', '"'],
  ["`", "`"],
]);
const longestQuotation = 200;

/**
 * Whether words are spoken of, not said. Quotation marks alone do not make it so, nor do words about attacks: anyone can add
 * either. Both together do: `the phrase "ignore previous instructions"`. So does a call on a member of a chat.
 */
export function isCited(text: string, { start, end }: WordSpan): boolean {
  if (text[start - 1] === "@") return true;
  const quotation = quotationAround(text, start) ?? quotationAround(text, end - 1);
  if (quotation === undefined) return false;
  const before = text.slice(Math.max(0, quotation.start - 80), quotation.start);
  const after = text.slice(quotation.end, quotation.end + 80);
  return spokenOf.test(before) || spokenOf.test(after);
}

/** The quotation that a place lies in. The strings of JSON are none. */
function quotationAround(text: string, at: number): WordSpan | undefined {
  const from = Math.max(0, at - longestQuotation);
  const line = Math.max(from, text.lastIndexOf("\n", at) + 1);
  for (let start = at; start >= line; start--) {
    const mark = text[start]!;
    if (!openings.includes(mark)) continue;
    // The same mark opens and closes: what stands between two quotations is not quoted.
    const isSame = closings.get(mark) === mark;
    if (isSame && (text.slice(line, start).split(mark).length - 1) % 2 === 1) return undefined;
    let end = at;
    while (end < text.length && end - at < longestQuotation && !closings.get(mark)!.includes(text[end]!)) end++;
    if (end === text.length || end - at === longestQuotation) return undefined;
    const isJson = isSame && /[[{:,]\s?$/.test(text.slice(0, start)) && /^"\s?[\]},:]/.test(text.slice(end, end + 3));
    return isJson ? undefined : { start, end: end + 1 };
  }
  return undefined;
}

const spokenOf =
  /attack|inject|phish|malicious|jailbreak|exploit|vulnerab|red.?team|owasp|\b(?:phrase|sentence|wording|words|example|e\.g|such as|like|someone|somebody|quot|says?|said|wrote|writes|text|titled?|called)\b|angreif|angriff|einschleus|schadlich|\b(?:satz|beispiel|etwa|wie|jemand)\b|attaqu|malveill|\b(?:phrase|exemple|comme|quelqu)|ataqu|malicios|enganar|\b(?:frase|ejemplo|como|alguien)\b|攻击|注入|恶意|钓鱼|例如|比如|这句|之类|攻撃|インジェクション|脆弱|悪意|という|といった|などの|文言|공격|주입|атак|инъекц|фраз/;
