import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { type Fault, toFault } from "../../../../src/core/fault.ts";
import { show } from "../../hub/act.ts";
import { hub } from "../../hub/control.ts";
import { servers } from "../../hub/shared.ts";
import { FaultBox } from "../../parts/states.tsx";
import { Link, navigate, pathTo } from "../../router/route.tsx";
import type { PageProps } from "../page-table.ts";

const fault = signal<Fault | undefined>(undefined);

/** Where an authorization server sends the browser back to: the hub takes the code, and the address forgets it. */
export function SignedInPage({ rest: [server = ""] }: PageProps) {
  useEffect(() => void finish(server), []);
  if (fault.value !== undefined)
    return (
      <div class="stack">
        <FaultBox fault={fault.value} />
        <Link class="button" to={pathTo("servers", server)}>
          Back to {server}
        </Link>
      </div>
    );
  return <p class="muted">Finishing the sign-in…</p>;
}

async function finish(server: string): Promise<void> {
  const { search } = location;
  history.replaceState(null, "", location.pathname);
  try {
    await hub.signIns.finish({ server, query: search, pasted: false });
    show("done", `Signed in to ${server}.`);
    navigate(pathTo("servers", server), { replace: true });
    await hub.servers.connect({ name: server }).catch(() => {});
    servers.reload();
  } catch (error) {
    fault.value = toFault(error);
  }
}
