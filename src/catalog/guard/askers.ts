import type { Choice, Said } from "../opinion.ts";
import type { CallContext, Unsubscribe } from "../tool-source.ts";
import type { CallerScope } from "./caller-scope.ts";

/** What a person is asked before a call may run. */
export interface ApprovalQuestion {
  readonly id: string;
  /** The name in the catalog. */
  readonly tool: string;
  readonly source: string;
  readonly caller: CallerScope & { readonly client?: string };
  /** The whole question, safe to show as it is. */
  readonly text: string;
  readonly choices: readonly Choice[];
  /** Milliseconds since the epoch: from then on no answer is a no. */
  readonly expiresAt: number;
}

/** Somebody who can put a question to a person. */
export interface Asker {
  readonly id: string;
  readonly kind: "console" | "terminal" | "desktop" | "client";
  /** Whether there is a person behind it now who may answer for this call. */
  available(context: CallContext): boolean;
  /** Nothing where there was no answer. The signal ends when somebody else has answered or it is too late. */
  ask(question: ApprovalQuestion, signal: AbortSignal): Promise<Said | undefined>;
}

/** Everybody who can ask now. They come and go while the guard lives. */
export interface Askers {
  add(asker: Asker): Unsubscribe;
  available(context: CallContext): readonly Asker[];
}

export function createAskers(): Askers {
  const askers = new Set<Asker>();
  return {
    add(asker) {
      askers.add(asker);
      return () => askers.delete(asker);
    },
    available: (context) => [...askers].filter((asker) => asker.available(context)),
  };
}
