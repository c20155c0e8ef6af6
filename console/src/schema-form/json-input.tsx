import { useSignal } from "@preact/signals";
import { parseJson } from "../../../src/core/json.ts";

interface JsonInputProps {
  readonly id: string;
  readonly value: unknown;
  readonly rows?: number;
  readonly label?: string;
  /** Called with each text that is JSON. */
  onChange(value: unknown): void;
  onValid?(valid: boolean): void;
}

/** A value as JSON text, with what is wrong with it. */
export function JsonInput({ id, value, rows = 4, label, onChange, onValid }: JsonInputProps) {
  const text = useSignal(value === undefined ? "" : JSON.stringify(value, undefined, 2));
  const wrong = useSignal("");
  return (
    <>
      <textarea
        id={id}
        class="area"
        rows={rows}
        spellcheck={false}
        aria-label={label}
        aria-invalid={wrong.value !== ""}
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value;
          try {
            onChange(text.value.trim() === "" ? undefined : parseJson(text.value));
            wrong.value = "";
          } catch (error) {
            wrong.value = error instanceof Error ? error.message : "This is not JSON.";
          }
          onValid?.(wrong.value === "");
        }}
      />
      {wrong.value !== "" && (
        <span class="wrong bad small" role="alert">
          {wrong.value}
        </span>
      )}
    </>
  );
}
