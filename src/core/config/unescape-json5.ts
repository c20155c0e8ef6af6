const escape = /\\(?:u([\dA-Fa-f]{4})|x([\dA-Fa-f]{2})|(\r\n|[^]))/g;
const short: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v" };

/** What stands between the quotes of a JSON5 text, or nothing when an escape in it is wrong. */
export function unescapeJson5(text: string): string | undefined {
  let isWrong = false;
  const content = text.replace(escape, (_, four?: string, two?: string, one?: string, offset?: number) => {
    const code = four ?? two;
    if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
    if (one === "0" && !/\d/.test(text[(offset ?? 0) + 2] ?? "")) return "\0";
    if (one === undefined || /[\dux]/.test(one)) isWrong = true;
    if (/^(?:\r\n|[\n\r\u2028\u2029])$/.test(one ?? "")) return "";
    return short[one ?? ""] ?? one ?? "";
  });
  return isWrong ? undefined : content;
}
