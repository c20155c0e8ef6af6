/** Where conversations are kept: by us, with a model of our own, or by OpenClaw. */
export type SessionPlace = "model" | "openclaw";

export interface SessionFacts {
  readonly place: SessionPlace;
  /** As its place knows it. */
  readonly key: string;
  readonly updatedAt?: string | undefined;
  readonly messages?: number | undefined;
  readonly title?: string | undefined;
}

export interface SpokenMessage {
  readonly role: string;
  readonly text: string;
}

export interface ShownSession extends SessionFacts {
  readonly said: readonly SpokenMessage[];
}

/** The conversations of one place. */
export interface SessionShelf {
  readonly place: SessionPlace;
  /** Latest first. */
  list(): Promise<readonly SessionFacts[]>;
  /** By the key that orders were given with, or by the one its place knows. */
  find(key: string): Promise<ShownSession | undefined>;
  /** Whether there was one. */
  remove(key: string): Promise<boolean>;
}
