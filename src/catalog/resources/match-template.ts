type TemplatePiece = { readonly text: string } | { readonly reserved: boolean };

const longestUri = 8192;
const mostPieces = 64;

/**
 * Whether a URI can come from a template (RFC 6570). Literals must match, a `{name}` matches anything without the
 * characters it would have escaped, and the other operators match anything at all. Templates and URIs both come from
 * outside, so their lengths, and with them the work, are bounded.
 */
export function matchesTemplate(template: string, uri: string): boolean {
  if (uri.length > longestUri || template.length > longestUri) return false;
  const pieces = piecesOf(template);
  if (pieces.length > mostPieces) return false;
  let reached = new Set([0]);
  for (const piece of pieces) {
    reached = "text" in piece ? afterText(piece.text, uri, reached) : afterExpression(piece.reserved, uri, reached);
    if (reached.size === 0) return false;
  }
  return reached.has(uri.length);
}

function piecesOf(template: string): TemplatePiece[] {
  return template.split(/(\{[^{}]*\})/).flatMap((part): TemplatePiece[] => {
    if (part === "") return [];
    if (!part.startsWith("{") || !part.endsWith("}")) return [{ text: part }];
    return [{ reserved: /^\{[+#./;?&]/.test(part) }];
  });
}

function afterText(text: string, uri: string, reached: ReadonlySet<number>): Set<number> {
  return new Set([...reached].filter((at) => uri.startsWith(text, at)).map((at) => at + text.length));
}

function afterExpression(reserved: boolean, uri: string, reached: ReadonlySet<number>): Set<number> {
  const next = new Set<number>();
  let open = false;
  for (let at = Math.min(...reached); at <= uri.length; at++) {
    open ||= reached.has(at);
    if (open) next.add(at);
    if (!reserved && "/?#".includes(uri[at] ?? "/")) open = false;
  }
  return next;
}

/** What every URI of the template begins with. */
export function prefixOfTemplate(template: string): string {
  const [first] = piecesOf(template);
  return first !== undefined && "text" in first ? first.text : "";
}
