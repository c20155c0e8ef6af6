/** Makes the value when it is first asked for, and only then: no start pays for what it may never need. */
export function memoized<R>(make: () => R): () => R {
  let made: { readonly value: R } | undefined;
  return () => (made ??= { value: make() }).value;
}
