import type { ExpectedFailures } from "../expect-failures.ts";

export const rootsReason =
  "Which folders a server may know is decided by `roots` in the hub's configuration. The hub answers `roots/list` itself and never asks the client.";
export const originReason =
  "The hub refuses every request with an `Origin` that is not configured, also one that names this machine: a web page must not reach it.";

export const waitsReason =
  "A client that does not know tasks can call a tool that its server runs only as a task: the hub waits for the task and returns its result.";

/** The checks that fail through a hub by design: `<scenario>/<check>`, and why. */
export const hubFailures: ExpectedFailures = {
  "dns-rebinding-protection/localhost-host-valid-accepted": originReason,
  "input-required-result-basic-list-roots/sep-2322-list-roots-incomplete": rootsReason,
  "input-required-result-multiple-input-requests/sep-2322-multiple-inputs-incomplete": rootsReason,
  "tasks-required-task-error/sep-2663-server-returns-missing-capability-when-required": waitsReason,
};
