import type { Connecting } from "../../catalog/source.ts";
import { isOpen } from "./connection/connection-state.ts";
import { patientAttempts } from "./connection/judge-retry.ts";
import type { SharedServer } from "./shared-servers.ts";

/** Follows a server until its lists are known for the first time. Undefined after that, or if that will take long. */
export function followFirstConnection(
  server: Pick<SharedServer, "connection" | "lists">,
): () => Connecting | undefined {
  const { connection, lists } = server;
  const patienceMs = connection.definition.connectTimeoutMs;
  let settled: Promise<void> | undefined;

  return () => (isConnecting() ? { settled: (settled ??= untilSettled()), patienceMs } : undefined);

  function isConnecting(): boolean {
    if (lists.isKnown()) return false;
    const state = connection.state();
    if (isOpen(state)) return lists.problem() === undefined;
    if (state.kind === "reconnecting") return state.attempt < patientAttempts;
    return state.kind === "queued" || state.kind === "connecting";
  }

  function untilSettled(): Promise<void> {
    return new Promise((resolve) => {
      const check = () => {
        if (isConnecting()) return;
        stopState();
        stopLists();
        settled = undefined;
        resolve();
      };
      const stopState = connection.listen({ onState: check });
      const stopLists = lists.onFetch(check);
    });
  }
}
