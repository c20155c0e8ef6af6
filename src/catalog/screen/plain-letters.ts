/** The text in lower case, without accents and typographic variants: as the words of the rules are written. */
export function plainLetters(text: string): string {
  // oxlint-disable-next-line no-control-regex
  if (/^[\x00-\x7f]*$/.test(text)) return text.toLowerCase();
  return text
    .normalize("NFKD")
    .replaceAll(/[\u0300-\u036f\u064b-\u0652\u0640]/g, "")
    .normalize("NFC")
    .toLowerCase()
    .replaceAll(/[łıßæœøđ’‘ʼ`´ة]/g, (letter) => spellings[letter] ?? letter);
}

/** Letters that are no accented form of another one. */
const spellings: Readonly<Record<string, string>> = {
  ł: "l",
  ı: "i",
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  đ: "d",
  "’": "'",
  "‘": "'",
  ʼ: "'",
  "`": "'",
  "´": "'",
};
