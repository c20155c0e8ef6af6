import type { Signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

interface FieldProps {
  readonly label: ComponentChildren;
  readonly hint?: string | undefined;
  /** What is wrong with the value. */
  readonly wrong?: string | undefined;
  children(id: string): ComponentChildren;
}

/** An input with its name, what it is for, and what is wrong with it. */
export function Field({ label, hint, wrong, children }: FieldProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children(id)}
      {wrong !== undefined && (
        <span class="wrong" role="alert">
          {wrong}
        </span>
      )}
      {hint !== undefined && hint !== "" && <span class="hint">{hint}</span>}
    </div>
  );
}

interface TextFieldProps {
  readonly label: string;
  readonly hint: string;
  readonly text: Signal<string>;
  readonly placeholder?: string;
  readonly required?: boolean;
  /** Shown as dots, and not remembered by the browser. */
  readonly secret?: boolean;
}

/** A field of one line that writes what is typed into the signal. */
export function TextField({ label, hint, text, secret = false, ...input }: TextFieldProps) {
  return (
    <Field label={label} hint={hint}>
      {(id) => (
        <input
          id={id}
          class="input mono"
          {...input}
          {...(secret && { type: "password", autocomplete: "off" })}
          value={text.value}
          onInput={(event) => (text.value = event.currentTarget.value)}
        />
      )}
    </Field>
  );
}
