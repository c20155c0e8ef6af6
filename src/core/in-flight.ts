/**
 * What comes and goes with every call. A `Set` or a `Map` would do, but for memory: V8 links each of its tables to the
 * one that replaces it. As soon as one of them is old, all later ones stay until the next full garbage collection, with
 * every call that was in them, and copying those took a sixth of a hub's processor time.
 */
export class InFlight<T> implements Iterable<T> {
  readonly #items: T[] = [];

  get size(): number {
    return this.#items.length;
  }

  add(item: T): void {
    this.#items.push(item);
  }

  /** Whether it was there. Looks from the end, so what stays for long does not slow down the others. */
  delete(item: T): boolean {
    const items = this.#items;
    let at = items.length - 1;
    while (at >= 0 && items[at] !== item) at--;
    if (at < 0) return false;
    const last = items.pop()!;
    if (last !== item) items[at] = last;
    return true;
  }

  find(isWanted: (item: T) => boolean): T | undefined {
    return this.#items.findLast(isWanted);
  }

  /** Of a copy: most things that are done to an item end it. In no order. */
  [Symbol.iterator](): IterableIterator<T> {
    return this.#items.slice().values();
  }
}
