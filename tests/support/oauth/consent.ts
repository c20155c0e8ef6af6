/** A person in a browser without a window: follows redirects, keeps cookies, signs in, consents. */
export interface Visitor {
  /** Goes from the address to the redirect that leaves the authorization server, and gives that. */
  consent(address: URL | string): Promise<URL>;
  /** The same, and says no. */
  refuse(address: URL | string): Promise<URL>;
  /** Types a user code into the page of the device flow and agrees. */
  confirmDevice(address: string): Promise<string>;
}

export function createVisitor(): Visitor {
  const cookies = new Map<string, string>();

  return {
    consent: (address) => walk(new URL(address), false),
    refuse: (address) => walk(new URL(address), true),
    async confirmDevice(address) {
      let page = await browse(new URL(address));
      while (page.form !== undefined) page = await browse(page.form.action, page.form.fields);
      return page.text;
    },
  };

  async function walk(start: URL, refuses: boolean): Promise<URL> {
    let page = await browse(start, undefined, start.origin);
    for (;;) {
      if (page.left !== undefined) return page.left;
      const { form, abort, text } = page;
      if (refuses && abort !== undefined) page = await browse(abort, undefined, start.origin);
      else if (form !== undefined) page = await browse(form.action, form.fields, start.origin);
      else throw new Error(`Nothing to fill in: ${text.replaceAll(/<style[\s\S]*?<\/style>|<[^>]+>|\s+/g, " ")}`);
    }
  }

  async function browse(address: URL, fields?: URLSearchParams, home = address.origin): Promise<Page> {
    let url = address;
    let init: RequestInit = fields === undefined ? {} : { method: "POST", body: fields };
    for (;;) {
      if (url.origin !== home) return { left: url, text: "" };
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
      const response = await fetch(url, { ...init, redirect: "manual", headers: { cookie } });
      for (const line of response.headers.getSetCookie()) {
        const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        if (value === "") cookies.delete(name);
        else cookies.set(name, value);
      }
      const location = response.headers.get("location");
      if (location === null) return readPage(await response.text(), url);
      await response.body?.cancel();
      url = new URL(location, url);
      init = {};
    }
  }
}

interface Page {
  readonly text: string;
  readonly left?: URL;
  readonly form?: { readonly action: URL; readonly fields: URLSearchParams };
  readonly abort?: URL;
}

function readPage(text: string, url: URL): Page {
  const [, action] = /<form[^>]*action="([^"]+)"/.exec(text) ?? [];
  const [, abort] = /href="([^"]+\/abort)"/.exec(text) ?? [];
  const fields = new URLSearchParams({ login: "somebody", password: "anything" });
  for (const [tag] of text.matchAll(/<input[^>]*>/g)) {
    const [, name] = /name="([^"]*)"/.exec(tag) ?? [];
    const [, value] = /value="([^"]*)"/.exec(tag) ?? [];
    if (name !== undefined && value !== undefined) fields.set(name, value);
  }
  return {
    text,
    ...(action !== undefined && { form: { action: new URL(action.replaceAll("&amp;", "&"), url), fields } }),
    ...(abort !== undefined && { abort: new URL(abort, url) }),
  };
}
