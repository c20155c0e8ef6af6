import type { Approvals } from "../../catalog/guard/approvals.ts";
import { isAfter } from "../../catalog/guard/approvals-file.ts";
import type { Pins } from "../../catalog/guard/pins.ts";
import { Fault } from "../../core/fault.ts";
import type { Home } from "../../core/files/home.ts";
import type { Log } from "../../core/log.ts";
import { quoted } from "../../core/peer-text.ts";
import { hubFiles } from "../hub-files.ts";
import type { ApprovalsControl, Confirmation } from "./hub-control.ts";

export interface ApprovalsControlOptions {
  readonly home: Home;
  readonly log: Log;
  /** Those of the engine in this process if there is one, so that an answer counts there at once. */
  readonly approvals?: Approvals | undefined;
  openPins(): Promise<Pins>;
  /** Whether the owner lets calls be approved without a person. */
  allowsUnattended(): Promise<boolean>;
}

export function createApprovalsControl(options: ApprovalsControlOptions): ApprovalsControl {
  const { home, log } = options;
  let opened: Promise<Approvals> | undefined;
  const openAnswers = (): Promise<Approvals> => (opened ??= openApprovals());

  async function openApprovals(): Promise<Approvals> {
    if (options.approvals !== undefined) return options.approvals;
    const { openApprovals } = await import("../../catalog/guard/approvals.ts");
    return openApprovals({ file: hubFiles.approvals(home), log });
  }

  async function requireApprover({ confirmed = false }: Confirmation): Promise<void> {
    if (confirmed || (await options.allowsUnattended())) return;
    throw new Fault("denied", noApprover);
  }

  return {
    async list() {
      const { approvals, waiting: calls } = await (await openAnswers()).list();
      const held = await (await options.openPins()).list();
      const now = Date.now();
      const { waiting = [], refused = [] } = Object.groupBy(calls, ({ openUntil }) =>
        isAfter(openUntil, now) ? "waiting" : "refused",
      );
      return { approvals, waiting, refused, changed: held.filter(({ state }) => state !== "refused") };
    },
    async show(id) {
      return (await openAnswers()).show(id);
    },
    async approve(id, request = {}) {
      const { answer = "once", widened, seen, by } = request;
      const isRefusal = answer === "no" || answer === "never";
      if (isRefusal && widened !== undefined)
        throw new Fault("bad-params", "Only an approval can be for every tool or every caller.");
      if (!isRefusal) await requireApprover(request);
      return (await openAnswers()).answer(id, answer, widened, seen, by);
    },
    async accept(name, request = {}) {
      await requireApprover(request);
      const accepted = await (await options.openPins()).accept(name, request.seen);
      if (accepted.length > 0) return accepted;
      const message = `${quoted(name)} has no new definition to accept. Run \`clawport approvals\` to see what does.`;
      throw new Fault("not-found", message);
    },
    // Every caller of the control API may keep a definition blocked.
    async reject(name, { seen } = {}) {
      const rejected = await (await options.openPins()).reject(name, seen);
      if (rejected.length > 0) return rejected;
      const message = `${quoted(name)} has no new definition to reject. Run \`clawport approvals\` to see what does.`;
      throw new Fault("not-found", message);
    },
    forget: async (tool) => (await openAnswers()).forget(tool),
  };
}

/** Does not say how to change that: the reader may be the model that is to be stopped. */
export const noApprover = "Approving needs a person who confirms it at a terminal.";
