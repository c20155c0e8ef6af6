import { computed, signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";

const base = "/console";

const address = signal({ path: location.pathname, search: location.search });

/** The parts of the address after `/console/`: `["servers", "files"]`. */
export const route = computed(() =>
  address.value.path
    .slice(base.length)
    .split("/")
    .filter((part) => part !== "")
    .map(decode),
);

/** What the lists of a page are filtered by. */
export const query = computed(() => new URLSearchParams(address.value.search));

addEventListener("popstate", read);

function read(): void {
  address.value = { path: location.pathname, search: location.search };
}

/** What of a page is open, for the title of the window: the name of a server, a tool, a call. */
export const subject = computed(
  () => named.value ?? (route.value.length > 1 ? route.value.at(-1)?.replace(/^\+/, "") : undefined),
);

const named = signal<string | undefined>(undefined);

/** For an object whose address does not say what it is, such as a call with a number. */
export function useTitle(title: string | undefined): void {
  useEffect(() => {
    named.value = title;
    return () => {
      named.value = undefined;
    };
  }, [title]);
}

/** The address of an object: `pathTo("servers", "files")`. */
export function pathTo(...parts: readonly string[]): string {
  return `${base}/${parts.map(encodeURIComponent).join("/")}`;
}

export function navigate(to: string, options: { readonly replace?: boolean } = {}): void {
  if (options.replace === true) history.replaceState(null, "", to);
  else history.pushState(null, "", to);
  read();
}

/** Changes a part of the query and keeps the rest. An empty value removes it. */
export function setQuery(changes: Readonly<Record<string, string | undefined>>): void {
  const next = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === "") next.delete(name);
    else next.set(name, value);
  }
  const text = next.toString();
  navigate(`${location.pathname}${text === "" ? "" : `?${text}`}`, { replace: true });
}

interface LinkProps {
  readonly to: string;
  readonly class?: string;
  readonly children?: ComponentChildren;
  readonly "aria-current"?: "page" | boolean;
  readonly "aria-label"?: string;
}

/** A link within the console. Modified clicks stay the browser's. */
export function Link({ to, children, ...rest }: LinkProps) {
  return (
    <a
      {...rest}
      href={to}
      onClick={(event) => {
        if (event.defaultPrevented || event.button !== 0) return;
        if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
        event.preventDefault();
        navigate(to);
      }}
    >
      {children}
    </a>
  );
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
