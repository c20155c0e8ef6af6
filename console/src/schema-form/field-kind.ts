type Schema = Readonly<Record<string, unknown>>;

/** How a value of a schema is entered. `json` is for what no form can be drawn for. */
export type FieldKind =
  | { readonly kind: "text" | "long-text" | "file"; readonly schema: Schema }
  | { readonly kind: "number"; readonly schema: Schema; readonly whole: boolean }
  | { readonly kind: "flag"; readonly schema: Schema }
  | { readonly kind: "choice"; readonly schema: Schema; readonly options: readonly unknown[] }
  | { readonly kind: "object"; readonly schema: Schema; readonly fields: readonly ObjectField[] }
  | { readonly kind: "list"; readonly schema: Schema; readonly item: Schema }
  | { readonly kind: "variants"; readonly schema: Schema; readonly variants: readonly Schema[] }
  | { readonly kind: "json"; readonly schema: Schema };

export interface ObjectField {
  readonly name: string;
  readonly schema: Schema;
  readonly required: boolean;
}

/** Schemas come from servers and may refer to themselves. */
const deepest = 6;
const maxFields = 100;

export function fieldKind(given: Schema, root: Schema, depth = 0): FieldKind {
  const schema = resolve(given, root);
  if (depth > deepest) return { kind: "json", schema };
  if ("const" in schema) return { kind: "choice", schema, options: [schema["const"]] };
  if (Array.isArray(schema["enum"])) return { kind: "choice", schema, options: schema["enum"].slice(0, 500) };
  const variants = variantsOf(schema, root);
  if (variants !== undefined) {
    const [only] = variants;
    if (variants.length === 1 && only !== undefined)
      return fieldKind({ ...withoutVariants(schema), ...only }, root, depth + 1);
    const values = variants.map((each) => each["const"]);
    if (values.every((value) => value !== undefined)) return { kind: "choice", schema, options: values };
    return { kind: "variants", schema, variants };
  }
  switch (typeOf(schema)) {
    case "string":
      return { kind: textKind(schema), schema };
    case "number":
    case "integer":
      return { kind: "number", schema, whole: typeOf(schema) === "integer" };
    case "boolean":
      return { kind: "flag", schema };
    case "array":
      return isRecord(schema["items"]) ? { kind: "list", schema, item: schema["items"] } : { kind: "json", schema };
    case "object":
      return objectKind(schema);
    default:
      return { kind: "json", schema };
  }
}

/** The value that a new field begins with. */
export function firstValue(given: Schema, root: Schema): unknown {
  const { kind, schema, ...rest } = fieldKind(given, root);
  if (schema["default"] !== undefined) return schema["default"];
  if (kind === "object") return {};
  if (kind === "list") return [];
  if (kind === "flag") return false;
  if (kind === "choice" && "options" in rest) return rest.options[0];
  return undefined;
}

function objectKind(schema: Schema): FieldKind {
  const properties = isRecord(schema["properties"]) ? schema["properties"] : {};
  const names = Object.keys(properties).slice(0, maxFields);
  // Without known names there is nothing to draw, unless it takes none at all.
  if (names.length === 0 && schema["additionalProperties"] !== false && schema["properties"] === undefined)
    return { kind: "json", schema };
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  const fields = names.map((name) => {
    const field = properties[name];
    return { name, schema: isRecord(field) ? field : {}, required: required.includes(name) };
  });
  fields.sort((a, b) => Number(b.required) - Number(a.required));
  return { kind: "object", schema, fields };
}

function textKind(schema: Schema): "text" | "long-text" | "file" {
  const { contentEncoding, format } = schema;
  if (contentEncoding === "base64" || format === "byte" || format === "binary" || format === "base64") return "file";
  return typeof schema["maxLength"] === "number" && schema["maxLength"] <= 200 ? "text" : "long-text";
}

/** `oneOf` and `anyOf` without null, which is the same as leaving a field empty. */
function variantsOf(schema: Schema, root: Schema): readonly Schema[] | undefined {
  const list = schema["oneOf"] ?? schema["anyOf"];
  if (!Array.isArray(list)) return undefined;
  return list
    .filter(isRecord)
    .map((each) => resolve(each, root))
    .filter((each) => each["type"] !== "null")
    .slice(0, 20);
}

function withoutVariants(schema: Schema): Schema {
  const { oneOf: _, anyOf: __, ...rest } = schema;
  return rest;
}

function typeOf(schema: Schema): unknown {
  const { type } = schema;
  if (Array.isArray(type)) {
    const types = type.filter((each) => each !== "null");
    return types.length === 1 ? types[0] : undefined;
  }
  return type ?? (isRecord(schema["properties"]) ? "object" : undefined);
}

function resolve(schema: Schema, root: Schema, left = 5): Schema {
  const ref = schema["$ref"];
  if (typeof ref !== "string" || left === 0) return schema;
  if (!ref.startsWith("#")) return {};
  let found: unknown = root;
  for (const part of ref.slice(1).split("/").filter(Boolean)) {
    const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
    found = isRecord(found) && Object.hasOwn(found, name) ? found[name] : undefined;
  }
  const { $ref: _, ...rest } = schema;
  return isRecord(found) ? resolve({ ...found, ...rest }, root, left - 1) : {};
}

function isRecord(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
