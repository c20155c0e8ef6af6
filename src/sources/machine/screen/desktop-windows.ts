import { quoted } from "../../../core/text/peer-text.ts";
import { type Availability, CapabilityFault } from "../capability.ts";

/** A window of the desktop. Its title and the name of its program are what the program says. */
export interface DesktopWindow {
  readonly id: string;
  readonly title: string;
  readonly app: string;
  readonly pid: number | null;
  readonly focused: boolean;
  readonly minimized: boolean;
  readonly workspace: number | string | null;
  readonly bounds: { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
}

export interface DesktopWindows {
  readonly backend: string;
  probeList(): Promise<Availability>;
  probeFocus(): Promise<Availability>;
  list(signal: AbortSignal): Promise<readonly DesktopWindow[]>;
  /** Faults if there is no such window. */
  require(id: string, signal: AbortSignal): Promise<void>;
  /** Whether the window has the focus afterwards. */
  focus(id: string, signal: AbortSignal): Promise<boolean>;
}

export const maxWindows = 100;

export function windowNotFound(id: string): CapabilityFault {
  const message = `There is no window ${quoted(id, 40)}. Use an \`id\` from windows.list.`;
  return new CapabilityFault("WINDOW_NOT_FOUND", message, { code: "bad-params" });
}
