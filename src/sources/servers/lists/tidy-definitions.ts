import { roundNumbers } from "../../../core/exact-number.ts";
import { isRecord } from "../../../core/is-record.ts";
import type { Prompt, Resource, ResourceTemplate } from "../../../mcp/messages/resources-and-prompts.ts";
import type { Tool } from "../../../mcp/messages/tool.ts";

/**
 * What servers list, as MCP defines it. Many send `null` for what they don't have, and the library of a client that reads
 * one such entry refuses the whole list, with the tools of all other servers in it. An entry that is right stays the same
 * object; of the others, only what is wrong is left out.
 */

type Check = (value: unknown) => boolean;
type Checks = Readonly<Record<string, Check>>;

const isText: Check = (value) => typeof value === "string";
const isFlag: Check = (value) => typeof value === "boolean";
const isTexts: Check = (value) => Array.isArray(value) && value.every(isText);
const oneOf =
  (...values: readonly unknown[]): Check =>
  (value) =>
    values.includes(value);

const texts: Checks = { title: isText, description: isText, icons: Array.isArray, _meta: isRecord };
const toolChecks: Checks = { ...texts, annotations: isRecord, outputSchema: isOutputSchema, execution: isExecution };
const hintChecks: Checks = {
  title: isText,
  readOnlyHint: isFlag,
  destructiveHint: isFlag,
  idempotentHint: isFlag,
  openWorldHint: isFlag,
};
const iconChecks: Checks = { mimeType: isText, sizes: isTexts, theme: oneOf("light", "dark") };
const resourceChecks: Checks = {
  ...texts,
  mimeType: isText,
  size: (value) => typeof roundNumbers(value) === "number",
  annotations: isRecord,
};
const audienceChecks: Checks = {
  audience: (value) => Array.isArray(value) && value.every(oneOf("user", "assistant")),
  priority: (value) => {
    const priority = roundNumbers(value);
    return typeof priority === "number" && priority >= 0 && priority <= 1;
  },
  lastModified: (value) =>
    typeof value === "string" && /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(value),
};
const promptChecks: Checks = { ...texts, arguments: Array.isArray };
const argumentChecks: Checks = { title: isText, description: isText, required: isFlag };

/** Undefined if it can't be called: the arguments of a call are an object. */
export function tidyTool(tool: Tool): Tool | undefined {
  const inputSchema = tidyInputSchema(tool.inputSchema);
  if (inputSchema === undefined) return undefined;
  const whole = inputSchema === tool.inputSchema ? tool : { ...tool, inputSchema };
  return tidyIcons(tidyPart(tidy(whole, toolChecks), "annotations", (hints) => tidy(hints, hintChecks)));
}

export function tidyResource<T extends Resource | ResourceTemplate>(resource: T): T {
  const named = isText(resource.name) ? resource : { ...resource, name: nameOf(resource) };
  return tidyIcons(
    tidyPart(tidy(named, resourceChecks), "annotations", (annotations) => tidy(annotations, audienceChecks)),
  );
}

export function tidyPrompt(prompt: Prompt): Prompt {
  return tidyIcons(
    tidyPart(tidy(prompt, promptChecks), "arguments", (all) =>
      tidyEach(all, ({ name }) => isText(name), argumentChecks),
    ),
  );
}

function nameOf(resource: Resource | ResourceTemplate): string {
  return "uri" in resource ? resource.uri : resource.uriTemplate;
}

/** Without the fields that don't pass. */
function tidy<T extends object>(item: T, checks: Checks): T {
  const isWrong = (field: string): boolean => {
    const value = (item as Record<string, unknown>)[field];
    return value !== undefined && checks[field]?.(value) === false;
  };
  if (!Object.keys(checks).some(isWrong)) return item;
  return Object.fromEntries(Object.entries(item).filter(([field]) => !isWrong(field))) as T;
}

function tidyPart<T extends object, K extends keyof T>(item: T, field: K, work: (part: T[K] & object) => T[K]): T {
  const part = item[field];
  if (typeof part !== "object" || part === null) return item;
  const tidied = work(part);
  return tidied === part ? item : { ...item, [field]: tidied };
}

function tidyEach<T extends object>(items: readonly T[], isUsable: (item: T) => boolean, checks: Checks): readonly T[] {
  const tidied = items.filter((item) => isRecord(item) && isUsable(item)).map((item) => tidy(item, checks));
  return tidied.length === items.length && tidied.every((item, at) => item === items[at]) ? items : tidied;
}

function tidyIcons<T extends Tool | Prompt | Resource | ResourceTemplate>(item: T): T {
  return tidyPart(item, "icons", (icons) => tidyEach(icons, ({ src }) => isText(src), iconChecks));
}

function tidyInputSchema(schema: Tool["inputSchema"]): Tool["inputSchema"] | undefined {
  if (!isRecord(schema)) return undefined;
  const { type } = schema;
  const isObject = type === undefined || type === "object" || (Array.isArray(type) && type.includes("object"));
  if (!isObject) return undefined;
  const whole = type === "object" ? schema : { ...schema, type: "object" };
  return tidyPart(tidy(whole, { properties: isRecord, required: isTexts }), "properties", tidyProperties);
}

/** `true` and `false` are schemas, too, but not for every client. */
function tidyProperties(properties: unknown): unknown {
  if (Object.values(properties as object).every(isRecord)) return properties;
  return Object.fromEntries(
    Object.entries(properties as object).map(([name, schema]: [string, unknown]) => [
      name,
      isRecord(schema) ? schema : schema === false ? { not: {} } : {},
    ]),
  );
}

function isOutputSchema(value: unknown): boolean {
  return isRecord(value) && (value.$schema === undefined || isText(value.$schema));
}

function isExecution(value: unknown): boolean {
  return isRecord(value) && oneOf(undefined, "forbidden", "optional", "required")(value.taskSupport);
}
