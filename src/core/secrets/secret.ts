import { lazyCrypto } from "./crypto.ts";

const mask = "[secret]";

/** A value that never prints: logs, JSON, templates and the inspector all show `[secret]`. Only `reveal()` returns it. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  /** Takes the same time whatever the other value is. Both sides are hashed, so that not even the length shows. */
  equals(other: Secret | string): boolean {
    const theirs = typeof other === "string" ? other : other.#value;
    return lazyCrypto().timingSafeEqual(digest(this.#value), digest(theirs));
  }

  toString(): string {
    return mask;
  }

  toJSON(): string {
    return mask;
  }

  [Symbol.toPrimitive](): string {
    return mask;
  }

  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return mask;
  }
}

function digest(text: string): Buffer {
  return lazyCrypto().createHash("sha256").update(text).digest();
}
