import { signal } from "@preact/signals";
import { type Fault, toFault } from "../../../src/core/fault.ts";

/** What the page tells its user about something that was just done. The live region speaks it, too. */
export interface Notice {
  readonly kind: "done" | "failed";
  readonly text: string;
  readonly at: number;
}

export const notice = signal<Notice | undefined>(undefined);
/** Text for screen readers only. */
export const spoken = signal("");

const shownMs = 6000;

/** Runs something that changes the hub, and shows how it ended. False if it failed. */
export async function act(what: () => Promise<unknown>, done?: string): Promise<boolean> {
  try {
    await what();
    if (done !== undefined) show("done", done);
    return true;
  } catch (error) {
    show("failed", messageOf(toFault(error)));
    return false;
  }
}

export function show(kind: Notice["kind"], text: string): void {
  const mine: Notice = { kind, text, at: Date.now() };
  notice.value = mine;
  setTimeout(() => {
    if (notice.value === mine && kind === "done") notice.value = undefined;
  }, shownMs);
}

function messageOf({ message, code }: Fault): string {
  return message === "" ? `This failed (${code}).` : message;
}
