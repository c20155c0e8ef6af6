import { isExactNumber } from "../../../src/core/exact-number.ts";
import { visible } from "./words.tsx";

/** More than this is shown as a count: a tree is for reading. */
const maxChildren = 200;
const deepest = 12;

/** A JSON value that can be opened and closed. */
export function JsonTree({ value }: { readonly value: unknown }) {
  return (
    <div class="code tree" tabIndex={0} role="region" aria-label="JSON">
      <Node value={value} depth={0} />
    </div>
  );
}

function Node({ name, value, depth }: { readonly name?: string; readonly value: unknown; readonly depth: number }) {
  const label = name === undefined ? null : <span class="k">{visible(name)}: </span>;
  if (typeof value !== "object" || value === null || isExactNumber(value))
    return (
      <div class="leaf">
        {label}
        <Leaf value={value} />
      </div>
    );
  const entries = Object.entries(value);
  const size = Array.isArray(value) ? `[${entries.length}]` : `{${entries.length}}`;
  if (depth >= deepest)
    return (
      <div class="leaf">
        {label}
        {size}
      </div>
    );
  return (
    <details open={depth < 2}>
      <summary>
        {label}
        <span class="muted">{size}</span>
      </summary>
      <div>
        {entries.slice(0, maxChildren).map(([key, each]) => (
          <Node key={key} name={key} value={each} depth={depth + 1} />
        ))}
        {entries.length > maxChildren && <div class="leaf muted">and {entries.length - maxChildren} more</div>}
      </div>
    </details>
  );
}

function Leaf({ value }: { readonly value: unknown }) {
  if (typeof value === "string") return <span class="s">{visible(JSON.stringify(value))}</span>;
  return <span class="n">{isExactNumber(value) ? value.rawJSON : String(value)}</span>;
}
