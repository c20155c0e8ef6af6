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
