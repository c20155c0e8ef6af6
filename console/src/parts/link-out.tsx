import { useSignal } from "@preact/signals";
import { CopyButton } from "./button.tsx";
import { Icon } from "./icon.tsx";
import { visible } from "./words.tsx";

/** A link that came from a server. It opens only after a click that shows the whole address, and only on the web. */
export function LinkOut({ address, label }: { readonly address: string; readonly label: string }) {
  const isShown = useSignal(false);
  const isWeb = URL.canParse(address) && /^https?:$/.test(new URL(address).protocol);
  if (!isShown.value)
    return (
      <p>
        <button type="button" class="inline-button" onClick={() => (isShown.value = true)}>
          {visible(label)}
        </button>
      </p>
    );
  return (
    <div class="hint-box row row-wrap">
      <span class="mono break grow">{visible(address)}</span>
      {isWeb && (
        <a class="button" href={address} target="_blank" rel="noopener noreferrer">
          Open <Icon name="out" size={12} />
        </a>
      )}
      <CopyButton text={address} what="the address" />
    </div>
  );
}
