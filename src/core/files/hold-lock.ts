import { type LockOptions, withFileLock } from "./file-lock.ts";

/** Takes the lock and keeps it until released, for work that is not one function call long. */
export async function holdLock(path: string, options: LockOptions): Promise<{ release(): Promise<void> }> {
  const taken = Promise.withResolvers<void>();
  const over = Promise.withResolvers<void>();
  const holding = withFileLock(path, options, () => {
    taken.resolve();
    return over.promise;
  });
  holding.catch(taken.reject);
  await taken.promise;
  return {
    release: () => {
      over.resolve();
      return holding;
    },
  };
}
