import type { ComponentChildren } from "preact";
import type { Fault } from "../../../src/core/fault.ts";
import type { Live } from "../hub/live.ts";
import { Link, pathTo } from "../router/route.tsx";
import { Button } from "./button.tsx";
import { Prose } from "./prose.tsx";

/** The states that everything on the page can be in before, or instead of, its content. */

export function Empty({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** Grey rows where a list or a text is about to be. */
export function Skeleton({ rows = 3 }: { readonly rows?: number }) {
  return (
    <div class="skeleton" aria-busy="true">
      <span class="hidden">Loading…</span>
      {Array.from({ length: rows }, (_, at) => (
        <span key={at} class="skeleton-row" aria-hidden="true" />
      ))}
    </div>
  );
}

/** What failed, in a card of its own, and the way to try it again. */
export function FaultBox({ fault, onRetry }: { readonly fault: Fault; readonly onRetry?: (() => void) | undefined }) {
  return (
    <div class="fault row row-wrap" role="alert">
      <span class="grow">
        <Prose text={fault.message} />
      </span>
      {onRetry !== undefined && (
        <Button local onClick={onRetry}>
          Retry
        </Button>
      )}
    </div>
  );
}

/** An address that leads nowhere. */
export function NotFound({ what = "page", home }: { readonly what?: string; readonly home?: string }) {
  return (
    <Empty title={`There is no such ${what}`}>
      <p class="muted">Choose one from the navigation, or go back.</p>
      <Link class="button" to={home ?? pathTo()}>
        {home === undefined ? "Overview" : "Back"}
      </Link>
    </Empty>
  );
}

interface LoadedProps<T> {
  readonly from: Live<T>;
  /** How many grey rows stand for it while it is loading. */
  readonly rows?: number;
  children(value: T): ComponentChildren;
}

/** What was loaded, or that it is loading, or why it can't be. What was loaded before stays in view. */
export function Loaded<T>({ from, rows, children }: LoadedProps<T>) {
  const { value, fault } = from;
  if (value === undefined && fault === undefined) return <Skeleton {...(rows === undefined ? {} : { rows })} />;
  // That the hub is gone, the frame says for all.
  const isSaid = value !== undefined && ["unavailable", "unauthorized"].includes(fault?.code ?? "");
  return (
    <>
      {fault !== undefined && !isSaid && (
        <div class="fault-place">
          <FaultBox fault={fault} onRetry={from.reload} />
        </div>
      )}
      {value !== undefined && children(value)}
    </>
  );
}
