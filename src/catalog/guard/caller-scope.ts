import type { Caller, DoorKind } from "../caller.ts";

/**
 * The part of a caller that the door vouches for. What a client calls itself is no part of it: anybody can say that.
 */
export interface CallerScope {
  readonly door: DoorKind;
  readonly token?: string;
  readonly sender?: string;
  readonly agent?: string;
}

export function scopeOf({ door, token, sender, agent }: Caller): CallerScope {
  return {
    door,
    ...(token === undefined ? {} : { token }),
    ...(sender === undefined ? {} : { sender }),
    ...(agent === undefined ? {} : { agent }),
  };
}

export function scopeKey({ door, token, sender, agent }: CallerScope): string {
  return JSON.stringify([door, token, sender, agent]);
}
