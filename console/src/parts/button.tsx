import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { connection, mayChange } from "../hub/events.ts";
import { show } from "../hub/act.ts";
import { Icon, type IconName } from "./icon.tsx";

interface ButtonProps {
  readonly children?: ComponentChildren;
  readonly icon?: IconName;
  readonly kind?: "main" | "quiet" | "bad";
  /** The key that does the same, shown on the button. */
  readonly hotkey?: string;
  /** Its name, if it shows only an icon. */
  readonly label?: string;
  readonly disabled?: boolean;
  /** It only changes the page, so it works without a connection and without rights. */
  readonly local?: boolean;
  readonly expanded?: boolean;
  readonly pressed?: boolean;
  onClick(): unknown;
}

/** A button that is off while it works, while the hub is out of reach, and where the session may only look. */
export function Button(props: ButtonProps) {
  const { children, icon, kind, hotkey, label, disabled = false, local = false, expanded, pressed, onClick } = props;
  const busy = useSignal(false);
  const canSend = local || (connection.value.state !== "lost" && mayChange.value);
  async function press(): Promise<void> {
    if (busy.value) return;
    busy.value = true;
    try {
      await onClick();
    } finally {
      busy.value = false;
    }
  }
  const classes = ["button", kind && `button-${kind}`, children === undefined && "button-icon"];
  return (
    <button
      type="button"
      class={classes.filter(Boolean).join(" ")}
      disabled={disabled || busy.value || !canSend}
      aria-label={label}
      title={!local && !mayChange.value ? "This link may only look. Run `clawport console` at a terminal." : label}
      aria-busy={busy.value}
      {...(expanded === undefined ? {} : { "aria-expanded": expanded })}
      {...(pressed === undefined ? {} : { "aria-pressed": pressed })}
      {...(hotkey === undefined ? {} : { "aria-keyshortcuts": hotkey })}
      onClick={() => void press()}
    >
      {icon && <Icon name={icon} size={14} />}
      {children}
      {hotkey && <kbd aria-hidden="true">{hotkey}</kbd>}
    </button>
  );
}

interface CopyButtonProps {
  readonly text: string | (() => string | Promise<string>);
  /** The text is the hub's to give. */
  readonly remote?: boolean;
  /** For the notice: "Copied the token." */
  readonly what: string;
  /** What stands on the button; without it, an icon. */
  readonly label?: string;
  /** Without the icon. */
  readonly plain?: boolean;
}

/** Copies a text, and says so. */
export function CopyButton({ text, what, label, plain = false, remote = false }: CopyButtonProps) {
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(typeof text === "string" ? text : await text());
      show("done", `Copied ${what}.`);
    } catch {
      show("failed", "The browser did not allow copying.");
    }
  };
  return (
    <Button
      kind="quiet"
      local={!remote}
      onClick={copy}
      {...(plain ? {} : { icon: "copy" as const })}
      {...(label === undefined ? { label: `Copy ${what}` } : {})}
    >
      {label}
    </Button>
  );
}

/** A switch with a name; it turns when the hub has done it. */
export function Switch({
  on,
  label,
  disabled = false,
  onChange,
}: {
  readonly on: boolean;
  readonly label: string;
  readonly disabled?: boolean;
  onChange(on: boolean): Promise<unknown>;
}) {
  const busy = useSignal(false);
  return (
    <button
      type="button"
      role="switch"
      class="switch"
      aria-checked={on}
      aria-label={label}
      disabled={disabled || busy.value || connection.value.state === "lost" || !mayChange.value}
      onClick={() => {
        busy.value = true;
        void onChange(!on).finally(() => (busy.value = false));
      }}
    />
  );
}

/** A destructive act: the button becomes the question, in place. */
export function Confirmed({
  label,
  question,
  yes,
  onYes,
}: {
  readonly label: string;
  readonly question: string;
  readonly yes: string;
  onYes(): unknown;
}) {
  const asking = useSignal(false);
  const box = useRef<HTMLDivElement>(null);
  // The question has the focus as soon as it stands there, and the button again when it is gone.
  const wasAsked = useRef(false);
  useEffect(() => {
    if (asking.value || wasAsked.current) box.current?.querySelector<HTMLElement>("button:last-of-type")?.focus();
    wasAsked.current = asking.value;
  }, [asking.value]);
  if (!asking.value)
    return (
      <div ref={box}>
        <Button kind="bad" onClick={() => (asking.value = true)}>
          {label}
        </Button>
      </div>
    );
  return (
    <div
      ref={box}
      class="confirm"
      role="group"
      aria-label={label}
      onKeyDown={(event) => {
        if (event.key === "Escape") asking.value = false;
      }}
    >
      <span class="grow">{question}</span>
      <Button
        kind="bad"
        onClick={async () => {
          await onYes();
          asking.value = false;
        }}
      >
        {yes}
      </Button>
      <Button local onClick={() => (asking.value = false)}>
        Keep it
      </Button>
    </div>
  );
}
