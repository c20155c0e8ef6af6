import { standing } from "../hub/session.ts";
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
        {standing.value === "refused-link" && (
          <p>This link was used already, is too old, or belongs to a hub that has stopped.</p>
        )}
        {standing.value === "unproven" && (
          <p>
            What answers at this address does not prove that it is the hub that this browser signed in to: the hub was
            restarted, or another program holds its port.
          </p>
        )}
        <p>Run this at a terminal of this computer. It opens a link that works once, for five minutes.</p>
        <pre class="code">clawport console</pre>
        <p class="muted">
          Sessions end when the hub stops, after 12 hours without use, and with <code>clawport token reset</code>.
        </p>
      </div>
    </main>
  );
}
