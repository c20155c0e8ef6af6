/** Makes the value when it is first asked for, and only then. */
export function memoized<R>(make: () => R): () => R {
  let made: { readonly value: R } | undefined;
  return () => (made ??= { value: make() }).value;
}
