import type { Page } from "playwright-core";

/** What a script at the console's address can do with the key that the browser keeps: use it, and try to read it. */
export async function useKey(page: Page, name: string, body: string): Promise<{ status: number; isRead: boolean }> {
  return page.evaluate(`(async () => {
    const done = (request) => new Promise((resolve) => (request.onsuccess = () => resolve(request.result)));
    const database = await done(indexedDB.open("clawport-console"));
    const { id, key } = await done(database.transaction("clawport-console").objectStore("clawport-console").get("session"));
    const formats = ["raw", "jwk"].map((format) => crypto.subtle.exportKey(format, key));
    const isRead = (await Promise.allSettled(formats)).some(({ status }) => status === "fulfilled");
    const text = (bytes) => btoa(String.fromCharCode(...new Uint8Array(bytes)))
      .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
    const bytes = (given) => new TextEncoder().encode(given);
    const channel = text(crypto.getRandomValues(new Uint8Array(16)));
    const hash = text(await crypto.subtle.digest("SHA-256", bytes(${JSON.stringify(body)})));
    const path = ${JSON.stringify(`/console/api/${name}`)};
    const signed = ["request", id, channel, 1, "POST", path, hash].join("\\n");
    const mac = text(await crypto.subtle.sign("HMAC", key, bytes(signed)));
    const headers = { "content-type": "application/json", "x-clawport-console": [id, channel, 1, hash, mac].join(".") };
    const { status } = await fetch(path, { method: "POST", headers, body: ${JSON.stringify(body)} });
    return { status, isRead };
  })()`);
}
