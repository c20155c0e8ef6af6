import type { Policy } from "../../../core/config/policy-config.ts";
import type { CallContext } from "../../call-context.ts";
import { compileGlob } from "../../glob.ts";
import { type Finding, isAtLeast } from "../../screen/finding.ts";
import { createFlows, type FlowCall } from "../../screen/flows/flows.ts";
import { type FlowLabel, guessLabels } from "../../screen/flows/labels.ts";
import type { CatalogTool } from "../../source.ts";
import { isMeant } from "../../tool-pattern.ts";
import type { Operation } from "../reach-source.ts";

/** What conversations have taken in, for the guard. */
export interface GuardFlows {
  check(policy: Policy, operation: Operation, context: CallContext): readonly Finding[];
  note(policy: Policy, operation: Operation, context: CallContext, value: unknown, findings: readonly Finding[]): void;
}

export function createGuardFlows(clock: () => number): GuardFlows {
  const flows = createFlows(clock);
  const guessed = new WeakMap<object, readonly FlowLabel[]>();

  function labelsOf(policy: Policy, tool: CatalogTool): readonly FlowLabel[] {
    const given = policy.labels?.find((each) => isFor(each, tool));
    if (given !== undefined) return given.labels;
    const { source } = tool;
    const labels = guessed.get(tool.tool) ?? guessLabels({ source: source.id, kind: source.kind, tool: tool.tool });
    guessed.set(tool.tool, labels);
    return labels;
  }

  function callOf(
    policy: Policy,
    { tool, source, args }: Operation,
    context: CallContext,
    isMarked: boolean,
  ): FlowCall | undefined {
    if (tool === undefined || modeOf(policy) === "off") return undefined;
    const labels = labelsOf(policy, tool);
    if (labels.length === 0 && !isMarked) return undefined;
    const { name } = tool;
    return {
      source: source.id,
      tool: name,
      labels,
      args,
      get conversation() {
        return conversationOf(context);
      },
    };
  }

  return {
    check(policy, operation, context) {
      const mode = modeOf(policy);
      const call = callOf(policy, operation, context, false);
      return call === undefined || mode === "off" ? none : flows.check(call, mode);
    },
    note(policy, operation, context, value, findings) {
      const isMarked = findings.some(({ rule, severity }) => rule !== "secret-shape" && isAtLeast(severity, "mark"));
      const call = callOf(policy, operation, context, isMarked);
      if (call !== undefined) flows.note(call, value, isMarked);
    },
  };
}

const none: readonly Finding[] = [];

function modeOf({ flows, preset, screen }: Policy): "ask" | "note" | "off" {
  if (screen?.enabled === false) return "off";
  return flows ?? (preset === "strict" ? "ask" : "note");
}

function isFor({ tool, source }: { readonly tool?: string; readonly source?: string }, item: CatalogTool): boolean {
  if (source !== undefined && !compileGlob(source)(item.source.id)) return false;
  return tool === undefined || isMeant(compileGlob(tool), item);
}

/** A session or an order; without one, the caller with this token and client. */
function conversationOf({ caller }: CallContext): string {
  const { sessionKey, door, token, tokenKey, client, sender, agent } = caller;
  return sessionKey ?? [door, token, tokenKey, client, sender, agent].join("\n");
}
