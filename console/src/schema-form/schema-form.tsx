import { useSignal } from "@preact/signals";
import { useEffect, useId } from "preact/hooks";
import { isExactNumber } from "../../../src/core/exact-number.ts";
import { parseJson } from "../../../src/core/json.ts";
import { Button } from "../parts/button.tsx";
import { visible } from "../parts/words.tsx";
import { fieldKind, firstValue, type ObjectField } from "./field-kind.ts";
import { FileInput } from "./file-input.tsx";
import { JsonInput } from "./json-input.tsx";

type Schema = Readonly<Record<string, unknown>>;

interface ValueProps {
  readonly id: string;
  readonly schema: Schema;
  /** The whole schema, which references are about. */
  readonly root: Schema;
  readonly value: unknown;
  readonly depth: number;
  readonly required?: boolean;
  /** The names of the fields of the whole value that are empty, and must not be. */
  readonly missing?: readonly string[];
  onChange(value: unknown): void;
}

/** The required fields that have no value yet. An empty text may be meant, so it counts only until it was pointed out. */
export function missingFields(schema: Schema, value: unknown, pointedOut: readonly string[]): readonly string[] {
  const required = Array.isArray(schema["required"])
    ? schema["required"].filter((name) => typeof name === "string")
    : [];
  const fields = isRecord(value) ? value : {};
  return required.filter((name) => fields[name] === undefined || (fields[name] === "" && !pointedOut.includes(name)));
}

/** A form for the values of a JSON Schema. What can't be drawn is entered as JSON. */
export function SchemaForm({
  schema,
  value,
  missing = [],
  onChange,
}: {
  readonly schema: Schema;
  readonly value: unknown;
  readonly missing?: readonly string[];
  onChange(value: unknown): void;
}) {
  const id = useId();
  const [first] = missing;
  useEffect(() => {
    if (first !== undefined) document.getElementById(`${id}-${first}`)?.focus();
  }, [missing]);
  return <Value id={id} schema={schema} root={schema} value={value} depth={0} missing={missing} onChange={onChange} />;
}

function Value(props: ValueProps) {
  const { id, root, value, depth, onChange } = props;
  const field = fieldKind(props.schema, root, depth);
  const placeholder = exampleOf(field.schema);
  switch (field.kind) {
    case "text":
      return (
        <input
          id={id}
          class="input mono"
          value={textOf(value)}
          placeholder={placeholder}
          onInput={(event) => onChange(orAbsent(event.currentTarget.value, props.required))}
        />
      );
    case "long-text":
      return (
        <textarea
          id={id}
          class="area one-line"
          rows={Math.min(12, Math.max(1, textOf(value).split("\n").length))}
          value={textOf(value)}
          placeholder={placeholder}
          onInput={(event) => onChange(orAbsent(event.currentTarget.value, props.required))}
        />
      );
    case "file":
      return <FileInput id={id} value={textOf(value)} onChange={onChange} />;
    case "number":
      return (
        <input
          id={id}
          class="input mono short"
          type="number"
          step={field.whole ? 1 : "any"}
          value={typeof value === "number" ? value : isExactNumber(value) ? value.rawJSON : ""}
          placeholder={placeholder}
          onInput={(event) => onChange(numberIn(event.currentTarget))}
        />
      );
    case "flag":
      return (
        <select
          id={id}
          class="select"
          value={typeof value === "boolean" ? String(value) : ""}
          onChange={(event) => onChange(flagOf(event.currentTarget.value))}
        >
          <option value="">{placeholder === "" ? "not set" : `not set (${placeholder})`}</option>
          <option value="true">yes</option>
          <option value="false">no</option>
        </select>
      );
    case "choice":
      return (
        <select
          id={id}
          class="select"
          value={String(field.options.findIndex((option) => JSON.stringify(option) === JSON.stringify(value)))}
          onChange={(event) => onChange(field.options[Number(event.currentTarget.value)])}
        >
          <option value="-1">{props.required === true ? "choose…" : "not set"}</option>
          {field.options.map((option, at) => (
            <option key={at} value={String(at)}>
              {visible(typeof option === "string" ? option : JSON.stringify(option))}
            </option>
          ))}
        </select>
      );
    case "object":
      return <ObjectValue {...props} fields={field.fields} />;
    case "list":
      return <ListValue {...props} item={field.item} />;
    case "variants":
      return <VariantValue {...props} variants={field.variants} />;
    case "json":
      return <JsonInput id={id} value={value} onChange={onChange} />;
  }
}

/** What was typed, with all its digits. */
function numberIn({ value, valueAsNumber }: HTMLInputElement): unknown {
  if (value === "") return undefined;
  try {
    return parseJson(value);
  } catch {
    // Browsers accept `.5` and `05`, JSON does not.
    return valueAsNumber;
  }
}

function ObjectValue({
  id,
  root,
  value,
  depth,
  fields,
  missing = [],
  onChange,
}: ValueProps & { readonly fields: readonly ObjectField[] }) {
  const current = isRecord(value) ? value : {};
  if (fields.length === 0) return <p class="muted">It takes no arguments.</p>;
  return (
    <div class={depth === 0 ? "stack" : "nested stack-small"}>
      {fields.map(({ name, schema, required }) => {
        const { kind, schema: resolved } = fieldKind(schema, root, depth + 1);
        const hint = typeof resolved["description"] === "string" ? resolved["description"] : "";
        return (
          <div key={name} class="field">
            <label for={`${id}-${name}`} class="row">
              <span class="mono">{visible(name)}</span>
              {required && (
                <span class="bad" title="required">
                  *<span class="hidden"> required</span>
                </span>
              )}
              <span class="muted small type-word">{wordOf(kind)}</span>
            </label>
            <Value
              id={`${id}-${name}`}
              schema={schema}
              root={root}
              value={current[name]}
              depth={depth + 1}
              required={required}
              onChange={(next) => onChange(withField(current, name, next))}
            />
            {missing.includes(name) && (
              <span class="wrong" role="alert">
                {current[name] === "" ? "This is required. Run again to send it empty." : "This is required."}
              </span>
            )}
            {hint !== "" && <span class="hint break">{visible(hint.slice(0, 1000))}</span>}
          </div>
        );
      })}
    </div>
  );
}

function ListValue({ id, root, value, depth, item, onChange }: ValueProps & { readonly item: Schema }) {
  const list = Array.isArray(value) ? (value as readonly unknown[]) : [];
  return (
    <div class="nested stack-small">
      {list.map((each, at) => (
        <div key={at} class="row row-top">
          <div class="grow">
            <label class="hidden" for={`${id}-${at}`}>
              Item {at + 1}
            </label>
            <Value
              id={`${id}-${at}`}
              schema={item}
              root={root}
              value={each}
              depth={depth + 1}
              required
              onChange={(next) => onChange(list.with(at, next))}
            />
          </div>
          <Button
            local
            kind="quiet"
            icon="close"
            label={`Remove item ${at + 1}`}
            onClick={() => onChange(list.length === 1 ? undefined : list.toSpliced(at, 1))}
          />
        </div>
      ))}
      <div>
        <Button local icon="plus" onClick={() => onChange([...list, firstValue(item, root) ?? ""])}>
          Add item
        </Button>
      </div>
    </div>
  );
}

function VariantValue({
  id,
  root,
  value,
  depth,
  variants,
  onChange,
}: ValueProps & { readonly variants: readonly Schema[] }) {
  const chosen = useSignal(0);
  const schema = variants[chosen.value] ?? {};
  return (
    <div class="nested stack-small">
      <select
        class="select"
        aria-label="Which kind"
        value={String(chosen.value)}
        onChange={(event) => {
          chosen.value = Number(event.currentTarget.value);
          onChange(firstValue(variants[chosen.value] ?? {}, root));
        }}
      >
        {variants.map((variant, at) => (
          <option key={at} value={String(at)}>
            {visible(textOf(variant["title"]) || wordOf(fieldKind(variant, root).kind) || "text")}
          </option>
        ))}
      </select>
      <Value
        key={chosen.value}
        id={id}
        schema={schema}
        root={root}
        value={value}
        depth={depth + 1}
        onChange={onChange}
      />
    </div>
  );
}

const kindWords: Readonly<Record<string, string>> = {
  number: "number",
  flag: "yes or no",
  choice: "choice",
  list: "list",
  object: "object",
  file: "file",
  json: "JSON",
  variants: "one of several",
};

function wordOf(kind: string): string {
  return kindWords[kind] ?? "";
}

function exampleOf(schema: Schema): string {
  const value = schema["default"] ?? (Array.isArray(schema["examples"]) ? schema["examples"][0] : undefined);
  return value === undefined || typeof value === "object" ? "" : visible(String(value)).slice(0, 200);
}

function flagOf(text: string): boolean | undefined {
  return text === "" ? undefined : text === "true";
}

function orAbsent(text: string, required = false): string | undefined {
  return text === "" && !required ? undefined : text;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function withField(object: Schema, name: string, value: unknown): Schema {
  const { [name]: _, ...rest } = object;
  return value === undefined ? rest : { ...object, [name]: value };
}

function isRecord(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
