/** Messages beside results, and their bytes, that an app may send in one beat of the heart. */
const mostMessages = 10_000;
const mostBytes = 16 * 1024 * 1024;

/** What an app says beside its results. A class, not a closure: there is one for every bridge. */
export class Chatter {
  #messages = 0;
  #bytes = 0;

  /** Says whether it was too much. */
  note(bytes: number): boolean {
    this.#messages++;
    this.#bytes += bytes;
    return this.#messages > mostMessages || this.#bytes > mostBytes;
  }

  beginBeat(): void {
    this.#messages = 0;
    this.#bytes = 0;
  }
}
