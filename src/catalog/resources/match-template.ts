type TemplatePiece = { readonly text: string } | { readonly reserved: boolean };

/** What a URI is compared with, prepared once. */
export interface TemplateMatcher {
  /** What every URI of the template begins with. */
  readonly prefix: string;
  /** About how many steps a comparison takes for each character of the URI. */
  readonly cost: number;
  matches(uri: string): boolean;
}

const maxUriLength = 8192;
const maxPieces = 64;

/**
 * Whether a URI can come from a template (RFC 6570). Literals must match, a `{name}` matches anything without the
 * characters it would have escaped, and the other operators match anything at all. Templates and URIs both come from
 * outside, so their lengths, and with them the work, are bounded.
 */
export function matchesTemplate(template: string, uri: string): boolean {
  return compileTemplate(template).matches(uri);
}

export function compileTemplate(template: string): TemplateMatcher {
  const pieces = piecesOf(template);
  const [first] = pieces;
  const prefix = first !== undefined && "text" in first ? first.text : "";
  const isUsable = template.length <= maxUriLength && pieces.length <= maxPieces;
  const rest = isUsable ? joinExpressions(prefix === "" ? pieces : pieces.slice(1)) : [];
  return {
    prefix,
    cost: rest.reduce((sum, piece) => sum + ("text" in piece ? 1 + piece.text.length / 8 : 1), 0),
    matches: (uri) =>
      isUsable && uri.length <= maxUriLength && uri.startsWith(prefix) && matchesRest(rest, uri, prefix),
  };
}

function matchesRest(rest: readonly TemplatePiece[], uri: string, prefix: string): boolean {
  /** For each position, whether the pieces so far can end there. */
  let reached = new Uint8Array(uri.length + 1);
  reached[prefix.length] = 1;
  for (const piece of rest) {
    reached = "text" in piece ? afterText(piece.text, uri, reached) : afterExpression(piece.reserved, uri, reached);
    if (!reached.includes(1)) return false;
  }
  return reached[uri.length] === 1;
}

function piecesOf(template: string): TemplatePiece[] {
  return template.split(/(\{[^{}]*\})/).flatMap((part): TemplatePiece[] => {
    if (part === "") return [];
    if (!part.startsWith("{") || !part.endsWith("}")) return [{ text: part }];
    return [{ reserved: /^\{[+#./;?&]/.test(part) }];
  });
}

/** Two expressions in a row match what the wider one matches. */
function joinExpressions(pieces: readonly TemplatePiece[]): TemplatePiece[] {
  const joined: TemplatePiece[] = [];
  for (const piece of pieces) {
    const last = joined.at(-1);
    if (last === undefined || "text" in last || "text" in piece) joined.push(piece);
    else joined.splice(-1, 1, { reserved: last.reserved || piece.reserved });
  }
  return joined;
}

function afterText(text: string, uri: string, reached: Uint8Array): Uint8Array<ArrayBuffer> {
  const next = new Uint8Array(reached.length);
  for (let at = uri.indexOf(text); at !== -1; at = uri.indexOf(text, at + 1))
    if (reached[at] === 1) next[at + text.length] = 1;
  return next;
}

function afterExpression(reserved: boolean, uri: string, reached: Uint8Array): Uint8Array<ArrayBuffer> {
  const next = new Uint8Array(reached.length);
  let open = false;
  for (let at = 0; at <= uri.length; at++) {
    open ||= reached[at] === 1;
    if (open) next[at] = 1;
    if (!reserved && "/?#".includes(uri[at] ?? "/")) open = false;
  }
  return next;
}
