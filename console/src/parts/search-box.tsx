import { Icon } from "./icon.tsx";

interface SearchBoxProps {
  readonly label: string;
  readonly value: string;
  readonly placeholder?: string;
  onInput(value: string): void;
}

/** The search of a page: `/` leads here. */
export function SearchBox({ label, value, placeholder = label, onInput }: SearchBoxProps) {
  return (
    <div class="search">
      <Icon name="search" size={14} />
      <input
        class="input"
        type="search"
        aria-label={label}
        placeholder={placeholder}
        value={value}
        autocomplete="off"
        spellcheck={false}
        data-search=""
        onInput={(event) => onInput(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "ArrowDown" && event.key !== "Enter") return;
          event.preventDefault();
          document.querySelector<HTMLElement>("[data-list] [data-at] a")?.focus();
        }}
      />
      {value === "" && <kbd aria-hidden="true">/</kbd>}
    </div>
  );
}
