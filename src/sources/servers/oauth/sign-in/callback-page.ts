export interface CallbackPage {
  readonly ok: boolean;
  readonly title: string;
  readonly text: string;
}

/** A page that loads nothing, runs nothing and tells no other site where it came from. */
export const pageHeaders = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  connection: "close",
} as const;

export function renderPage({ ok, title, text }: CallbackPage): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escape(title)}</title>
<style>
  :root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif }
  main { max-width: 32rem; margin: 20vh auto 0; padding: 0 1.5rem }
  h1 { font-size: 1.4rem; border-left: .3rem solid ${ok ? "#2a8" : "#c43"}; padding-left: .8rem }
</style>
<main>
<h1>${escape(title)}</h1>
<p>${escape(text)}</p>
</main>
`;
}

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
