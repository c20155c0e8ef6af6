type Method = (...values: never[]) => Promise<unknown>;
type Methods<Names extends string> = { readonly [Name in Names]: Method };

/** Methods of an object that is loaded with the first of them that is called: most processes never need it. */
export function loadedBy<Area extends Methods<Name>, const Name extends keyof Area & string>(
  names: readonly Name[],
  open: () => Promise<Area>,
): Pick<Area, Name> {
  const methods = names.map((name) => {
    const call = async (...values: never[]): Promise<unknown> => (await open())[name](...values);
    return [name, call];
  });
  return Object.fromEntries(methods) as Pick<Area, Name>;
}

/** Opens once; after a failure, with the next use again. */
export function memoized<T>(open: () => Promise<T>): () => Promise<T> {
  let opening: Promise<T> | undefined;
  return () => {
    const opened = (opening ??= open());
    opened.catch(() => (opening = undefined));
    return opened;
  };
}
