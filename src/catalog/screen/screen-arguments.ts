import { isRecord } from "../../core/is-record.ts";
import type { JsonSchema } from "../../mcp/messages/tool.ts";
import { type Finding, quoteAt, sortFindings } from "./finding.ts";
import { type ArgumentFacts, argumentRules } from "./rules/arguments.ts";

/** The tool that is called, as it describes itself. */
export interface CalledTool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema?: JsonSchema | undefined;
  readonly annotations?: { readonly openWorldHint?: boolean } | undefined;
}

const maxValues = 2000;
const maxDepth = 32;
const longestValue = 65_536;

/** What the rules find in the arguments of a call. Long values are read at their beginning and their end. */
export function screenArguments(tool: CalledTool, args: unknown): readonly Finding[] {
  const found: Finding[] = [];
  let values = 0;

  function read(value: unknown, where: string, key: string, schema: unknown, isDeclared: boolean, depth: number): void {
    if (depth > maxDepth || ++values > maxValues) return;
    if (typeof value === "string" || !isDeclared) {
      readValue(typeof value === "string" ? value : "", where, key, schema, isDeclared);
      if (typeof value === "string") return;
    }
    if (Array.isArray(value)) {
      const items = isRecord(schema) ? schema.items : undefined;
      for (const [index, each] of value.entries()) read(each, `${where}[${index}]`, key, items, true, depth + 1);
    } else if (isRecord(value)) {
      const properties = isRecord(schema) && isRecord(schema.properties) ? schema.properties : undefined;
      const isClosed =
        properties !== undefined &&
        isRecord(schema) &&
        (schema.additionalProperties === undefined || schema.additionalProperties === false) &&
        depth === 0;
      for (const [name, each] of Object.entries(value)) {
        const declared = !isClosed || (Object.hasOwn(properties, name) && name !== "__proto__");
        read(each, where === "" ? name : `${where}.${name}`, name, properties?.[name], declared, depth + 1);
      }
    }
  }

  function readValue(whole: string, where: string, key: string, schema: unknown, isDeclared: boolean): void {
    if (isDeclared && isPlainValue(whole)) return;
    const value =
      whole.length > longestValue ? `${whole.slice(0, longestValue / 2)}\n${whole.slice(-longestValue / 2)}` : whole;
    const own =
      isRecord(schema) && typeof schema.description === "string" ? schema.description.slice(0, 500).toLowerCase() : "";
    const facts: ArgumentFacts = {
      key,
      value,
      decoded: percentDecoded(value),
      isDeclared,
      isOpenWorld: tool.annotations?.openWorldHint === true,
      about: `${aboutOf(tool)} ${own}`,
    };
    for (const rule of argumentRules) {
      const verdict = rule.find(facts);
      if (verdict === false) continue;
      const severity = verdict === true ? rule.severity : verdict;
      found.push({ rule: rule.id, severity, where, quote: quoteAt(value, 0, 60), why: rule.why });
    }
  }

  read(args, "", "", tool.inputSchema, true, 0);
  return found.length === 0 ? found : sortFindings(found);
}

/** What a tool says about itself, in lower case. Made once for each. */
const abouts = new WeakMap<CalledTool, string>();

function aboutOf(tool: CalledTool): string {
  const known =
    abouts.get(tool) ?? `${tool.name} ${tool.description ?? ""}`.slice(0, 2000).toLowerCase().replaceAll("_", " ");
  abouts.set(tool, known);
  return known;
}

const longestRun = 4096;

/** A word, a number, an id, or a long run of base64: no rule can find anything in it. */
function isPlainValue(value: string): boolean {
  if (value.length < 3 || plain.test(value)) return true;
  if (value.includes(" ") || value.includes("\n") || value.length < 64) return false;
  return value.length > longestRun ? Buffer.byteLength(value) === value.length : base64.test(value);
}

const plain = /^[a-z0-9 ]{1,10}$|^-?[\d.:TZ-]{1,30}$/i;
/** Paths have a dot, or no digit next to a capital letter; what leads out has two dots. */
const base64 = /^(?!.*(?:AKIA|ASIA|AIza|eyJ))[A-Za-z0-9+/]{64,}={0,2}$/;

/** Encoded twice is encoded to deceive. */
function percentDecoded(value: string): string {
  // oxlint-disable-next-line no-control-regex
  let decoded = /^[\x00-\x7f]*$/.test(value) ? value : value.normalize("NFKC");
  for (let round = 0; round < 3 && decoded.length < 4096 && /%[\da-f]{2}/i.test(decoded); round++) {
    try {
      decoded = decodeURIComponent(decoded);
    } catch {
      decoded = decoded.replaceAll(/%[2-7][\da-f]/gi, (code) => String.fromCharCode(parseInt(code.slice(1), 16)));
      break;
    }
  }
  return decoded;
}
