/**
 * A URI that several sources have is shown as `<scheme>://<source>.clawport/<rest>`. The scheme stays, since `ui://` and
 * `skill://` mean something to clients; references relative to a URI stay with its source; and the expansions of a
 * template that is qualified like this are qualified, too.
 */
export interface QualifiedUri {
  /** The id of the source. */
  readonly source: string;
  /** The URI as the source knows it. */
  readonly uri: string;
}

const schemed = /^([A-Za-z][A-Za-z0-9+.-]*:(?:\/\/)?)(.*)$/s;
const qualified = /^([A-Za-z][A-Za-z0-9+.-]*:(?:\/\/)?)([^/?#]{1,2000})\.clawport\/(.*)$/s;
/** For what has no scheme, such as a template that begins with an expression. */
const ownScheme = "clawport:";

export function qualifyUri(source: string, uri: string): string {
  const [, scheme = ownScheme, rest = uri] = uri.startsWith(ownScheme) ? [] : (schemed.exec(uri) ?? []);
  return `${scheme}${encodeURIComponent(source.toWellFormed())}.clawport/${rest}`;
}

/** Undefined if the URI does not have that form. */
export function parseQualifiedUri(uri: string): QualifiedUri | undefined {
  // Most URIs end here, without a regular expression.
  if (!uri.includes(".clawport/")) return undefined;
  const [, scheme, source, rest = ""] = qualified.exec(uri) ?? [];
  if (scheme === undefined || source === undefined) return undefined;
  return { source: decoded(source), uri: scheme === ownScheme ? rest : `${scheme}${rest}` };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
