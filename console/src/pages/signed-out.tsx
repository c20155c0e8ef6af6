import { Brand } from "../parts/icon.tsx";

/** What a browser sees that was not let in, or no longer is. */
export function SignedOut() {
  return (
    <main class="welcome" id="page">
      <div class="empty">
        <h1 class="row">
          <Brand /> Clawport
        </h1>
        <h2>You are not signed in</h2>
        <p>Run this at a terminal of this computer. It opens a link that works once, for five minutes.</p>
        <pre class="code">clawport console</pre>
        <p class="muted">
          Sessions end after 12 hours without use, and with <code>clawport token reset</code>.
        </p>
      </div>
    </main>
  );
}
