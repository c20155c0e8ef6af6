import { visible } from "../../parts/words.tsx";
import { setQuery } from "../../router/route.tsx";
import { sourceWords } from "./usage-words.ts";

interface SourceFilterProps {
  readonly value: string;
  readonly sources: readonly string[];
}

/** Only the tools of one source; the choice is kept in the address. */
export function SourceFilter({ value, sources }: SourceFilterProps) {
  return (
    <select
      class="select"
      aria-label="Source"
      value={value}
      onChange={(event) => setQuery({ source: event.currentTarget.value })}
    >
      <option value="">all sources</option>
      {[...new Set([...sources, ...(value === "" ? [] : [value])])].map((source) => (
        <option key={source} value={source}>
          {visible(sourceWords(source))}
        </option>
      ))}
    </select>
  );
}
