import { Fault } from "../../../core/fault.ts";

const prefix = "clawport://results/";

/** Parts of it are read with `?offset=<byte>&length=<bytes>`. */
export const resultTemplate = `${prefix}{id}{?offset,length}`;

export function resultUri(id: string, offset?: number): string {
  return `${prefix}${id}${offset === undefined ? "" : `?offset=${offset}`}`;
}

export function isResultUri(uri: string): boolean {
  return uri.startsWith(prefix);
}

export interface ResultAddress {
  readonly id: string;
  readonly offset?: number | undefined;
  readonly length?: number | undefined;
}

/** Of a URI, or of the id alone. */
export function parseResultUri(text: string): ResultAddress {
  const [id = "", query = ""] = (isResultUri(text) ? text.slice(prefix.length) : text).split("?", 2);
  const values = new URLSearchParams(query);
  return { id, offset: numberIn(values, "offset"), length: numberIn(values, "length") };
}

function numberIn(values: URLSearchParams, name: string): number | undefined {
  const value = values.get(name);
  if (value === null) return undefined;
  if (!/^\d{1,15}$/.test(value)) throw new Fault("bad-params", `"${name}" must be a whole number, 0 or more.`);
  return Number(value);
}
