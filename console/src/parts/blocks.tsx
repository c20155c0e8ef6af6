import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { Link } from "../router/route.tsx";
import { Icon } from "./icon.tsx";
import { visible } from "./words.tsx";

interface PanelProps {
  readonly title: ComponentChildren;
  /** What stands at the right of the title. */
  readonly aside?: ComponentChildren;
  /** The content brings its own spacing, such as a list with lines. */
  readonly bare?: boolean;
  readonly children: ComponentChildren;
}

export function Panel({ title, aside, bare = false, children }: PanelProps) {
  const id = useId();
  return (
    <section class="panel" aria-labelledby={id}>
      <div class="panel-head">
        <h2 id={id} class="grow">
          {title}
        </h2>
        {aside}
      </div>
      {bare ? children : <div class="panel-body stack-small">{children}</div>}
    </section>
  );
}

/** More would make the page slow; copying takes all of it. */
const maxTextLength = 200_000;

/** A text of a program or a server: never markup. */
export function Code({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <pre class="code" tabIndex={0} role="region" aria-label={label}>
      {visible(text.length > maxTextLength ? `${text.slice(0, maxTextLength)}\n… (${text.length} characters)` : text)}
    </pre>
  );
}

/** A difference in lines that begin with `+`, `-` or a space. */
export function Diff({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <pre class="code diff" tabIndex={0} role="region" aria-label={label}>
      {visible(text)
        .split("\n")
        .map((line, at) => (
          <span key={at} class={line.startsWith("+") ? "add" : line.startsWith("-") ? "cut" : ""}>
            {line === "" ? " " : line}
          </span>
        ))}
    </pre>
  );
}

/** What a button opened below: it comes into view. */
export function Opened({ children }: { readonly children: ComponentChildren }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => box.current?.scrollIntoView({ block: "nearest" }), []);
  return <div ref={box}>{children}</div>;
}

/** The way back to a list, on a narrow screen. */
export function BackTo({ to, children }: { readonly to: string; readonly children: ComponentChildren }) {
  return (
    <Link to={to} class="button button-quiet back">
      <Icon name="back" size={14} />
      {children}
    </Link>
  );
}
