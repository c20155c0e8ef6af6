import { useSignal } from "@preact/signals";
import { show } from "../hub/act.ts";
import { Button } from "../parts/button.tsx";
import { sizeText } from "../parts/words.tsx";

const largest = 16 * 1024 * 1024;

/** A file as base64, chosen or dropped. */
export function FileInput({
  id,
  value,
  onChange,
}: {
  readonly id: string;
  readonly value: string;
  onChange(value: unknown): void;
}) {
  const name = useSignal("");
  async function take(file: File | undefined): Promise<void> {
    if (file === undefined) return;
    if (file.size > largest) return show("failed", `${file.name} is larger than ${sizeText(largest)}.`);
    const bytes = new Uint8Array(await file.arrayBuffer());
    let text = "";
    for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
    name.value = `${file.name}, ${sizeText(file.size)}`;
    onChange(btoa(text));
  }
  return (
    <div
      class="drop"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        void take(event.dataTransfer?.files[0]);
      }}
    >
      {value === "" ? (
        <>
          <input id={id} type="file" onChange={(event) => void take(event.currentTarget.files?.[0])} />
          <span class="muted small">or drop a file here</span>
        </>
      ) : (
        <>
          <span class="grow clip" id={id}>
            {name.value || `${sizeText(Math.floor((value.length * 3) / 4))} of base64`}
          </span>
          <Button local kind="quiet" icon="close" label="Remove the file" onClick={() => onChange(undefined)} />
        </>
      )}
    </div>
  );
}
