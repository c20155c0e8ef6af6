/** A session as the browser keeps it. The key can be used, but its bytes can't be read, by no script. */
export interface KeptSession {
  readonly id: string;
  readonly key: CryptoKey;
}

const name = "clawport-console";
const at = "session";

/** The session of this browser, for the next load of the page. Undefined where the browser keeps none. */
export async function readKept(): Promise<KeptSession | undefined> {
  return inStore<KeptSession | undefined>("readonly", (store) => store.get(at)).catch(() => undefined);
}

export async function keep(session: KeptSession): Promise<void> {
  await inStore("readwrite", (store) => store.put(session, at)).catch(() => {});
}

/** Only if it is still this one: another tab may have signed in since. */
export async function forget(id: string): Promise<void> {
  if ((await readKept())?.id === id) await inStore("readwrite", (store) => store.delete(at)).catch(() => {});
}

async function inStore<T>(mode: IDBTransactionMode, work: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  const opening = indexedDB.open(name, 1);
  opening.addEventListener("upgradeneeded", () => opening.result.createObjectStore(name));
  const database = await resultOf(opening);
  try {
    return await resultOf(work(database.transaction(name, mode).objectStore(name)));
  } finally {
    database.close();
  }
}

function resultOf<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.addEventListener("success", () => resolve(request.result));
    request.addEventListener("error", () => reject(request.error ?? new Error("The browser's storage failed.")));
  });
}
