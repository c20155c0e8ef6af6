import type { ApprovalAnswer } from "../../catalog/advice.ts";
import type { WaitingCall, Widening } from "../../catalog/guard/approvals-file.ts";
import type { HeldDefinition } from "../../catalog/guard/held-definition.ts";
import { callerName } from "../../catalog/caller.ts";
import { Fault } from "../../core/fault.ts";
import { quoted } from "../../core/text/peer-text.ts";
import { shownLines } from "../../core/text/shown-text.ts";
import type { CommandContext } from "../command-context.ts";
import { defineCommand } from "../command.ts";

export const command = defineCommand({
  name: "approve",
  summary: "allow or refuse one call that waits for approval, or accept or reject a changed definition",
  args: [
    {
      name: "call",
      description: "its id, or its tool if only one call waits; without it, the only call that waits or was refused",
      optional: true,
    },
  ],
  options: {
    always: { type: "boolean", description: "allow this tool for this caller from now on" },
    tool: { type: "boolean", description: "allow this tool for every caller from now on" },
    caller: {
      type: "string",
      value: "<name>",
      description: "allow every tool for this caller from now on; it must be the caller of the waiting call",
    },
    deny: {
      type: "boolean",
      description: "refuse the call, or reject the changed definition; with --always, the call from now on",
    },
    yes: { type: "boolean", short: "y", description: "do not ask for confirmation" },
  },
  examples: [
    "clawport approve",
    "clawport approve 3",
    "clawport approve files__delete --always",
    "clawport approve 3 --deny",
    "clawport approve notes__search --deny",
  ],
  async run(context) {
    const { openFolderControl } = await import("../../hub/control/folder-control.ts");
    const { noApprover } = await import("../../hub/control/approvals.ts");
    const { options, isAttended } = context;
    const request = requestOf(options);
    // Without a terminal the agent itself may be running this.
    if (!isAttended && !options.yes && !options.deny) throw new Fault("denied", noApprover);
    await using opened = await openFolderControl(context);
    const { approvals, pins } = opened.control;
    const { waiting, refused, changed } = await approvals.list();
    const what = context.args[0] ?? onlyCall(waiting.length > 0 ? waiting : refused);
    const { isNameOrNarrow } = await import("../../catalog/names.ts");
    // What was rejected can still be accepted.
    const held = (options.deny ? changed : await pins.list()).filter(({ name }) => isNameOrNarrow(what, name));
    const isMeant = (call: WaitingCall) => call.id === what || isNameOrNarrow(what, call.name);
    const calls = [...refused, ...waiting].filter(isMeant).filter(isOf(options.caller));
    const [call] = calls;
    if (calls.length + held.length === 0) throw new Fault("not-found", nothingToApprove(what, options.caller));
    if (calls.length > 1 && held.length === 0) throw new Fault("usage", ambiguous(what, calls));

    const done: string[] = [];
    const seen = held.map(({ hash }) => hash);
    for (const { name, source, diff, state } of held) {
      const change = changes[state];
      const question = options.deny ? "Reject the new definition?" : "Accept the new definition?";
      await confirm(context, `${name} of ${source} ${change}:\n${diff}`, question);
      done.push(options.deny ? rejectedText(name) : `${name}: the new definition is accepted.`);
    }
    const settled: unknown[] = [];
    for (const name of new Set(held.map((each) => each.name)))
      settled.push(
        ...(await (options.deny
          ? approvals.reject({ name, seen })
          : approvals.accept({ name, confirmed: isAttended, seen }))),
      );
    const definitions = options.deny ? { rejected: settled } : { accepted: settled };
    if (call === undefined || calls.length > 1) {
      if (calls.length > 1) done.push(ambiguous(what, calls));
      return context.answer(definitions, done.join("\n"));
    }
    const { text } = await approvals.show({ id: call.id });
    await confirm(context, text ?? (await shortened(call, options.deny)), `${promptOf(call, request)}?`);
    const given = await approvals.approve({ id: call.id, ...request, confirmed: isAttended, seen: call.hash });
    done.push(`${doneText(call, request)}.`);
    context.answer({ ...definitions, ...given }, done.join("\n"));
  },
});

const changes: Readonly<Record<HeldDefinition["state"], string>> = {
  new: "is new",
  flagged: "has something in it that screening found",
  changed: "has changed",
  withdrawn: "has changed, and changed back",
  refused: "has changed, and you rejected that",
};

function rejectedText(name: string): string {
  return `${name}: the new definition is rejected. Calls are refused until the server changes it again, or you run \`clawport approve ${name}\`.`;
}

interface Request {
  readonly answer: ApprovalAnswer;
  readonly widened?: Widening;
}

function requestOf(options: { always?: boolean; tool?: boolean; caller?: string; deny?: boolean }): Request {
  const { always, tool, caller, deny } = options;
  if (tool && caller !== undefined)
    throw new Fault(
      "usage",
      "Choose one: --tool for every caller of this tool, or --caller for every tool of this caller.",
    );
  if (deny && (tool || caller !== undefined))
    throw new Fault("usage", "--deny is for this call, or with --always for this tool and caller.");
  if (deny) return { answer: always ? "never" : "no" };
  if (tool) return { answer: "always", widened: "tool" };
  if (caller !== undefined) return { answer: "always", widened: "caller" };
  return { answer: always ? "always" : "once" };
}

function isOf(wanted: string | undefined): (call: WaitingCall) => boolean {
  return ({ caller }) => wanted === undefined || callerName(caller) === wanted;
}

async function confirm(context: CommandContext, text: string, question: string): Promise<void> {
  const { stderr, options, isAttended } = context;
  const shown = shownLines(text);
  if (options.yes || !isAttended) stderr.write(`${shown}\n`);
  if (options.yes) return;
  const { isYes } = await import("../terminal/read-line.ts");
  if (isYes((await context.ask(`${shown}\n${question} [y/N] `)) ?? "")) return;
  throw new Fault("cancelled", "Nothing was changed.");
}

/** What is left of a call is enough to refuse it. */
async function shortened(call: WaitingCall, isRefusal: boolean | undefined): Promise<string> {
  if (!isRefusal) {
    const { onlyInPart } = await import("../../catalog/guard/approvals.ts");
    throw new Fault("denied", onlyInPart(call));
  }
  const { questionText } = await import("../../catalog/guard/call-text.ts");
  return `${questionText(call)}\n(Only a shortened record of this call is left.)`;
}

function promptOf(call: WaitingCall, { answer, widened }: Request): string {
  const who = callerName(call.caller);
  if (widened === "tool") return `Allow ${call.name} for every caller from now on`;
  if (widened === "caller") return `Allow every tool for ${who} from now on`;
  if (answer === "always") return `Allow ${call.name} for ${who} from now on`;
  if (answer === "never") return `Refuse ${call.name} for ${who} from now on`;
  return answer === "no" ? "Refuse this call" : "Allow this call once";
}

function doneText(call: WaitingCall, { answer, widened }: Request): string {
  const who = callerName(call.caller);
  if (widened === "tool") return `${call.name} is allowed for every caller`;
  if (widened === "caller") return `Every tool is allowed for ${who}`;
  if (answer === "always") return `${call.name} is allowed for ${who}`;
  if (answer === "never") return `${call.name} is refused for ${who}`;
  if (answer === "no") return `Call ${call.id} is refused`;
  const isOpen = call.openUntil !== undefined && Date.parse(call.openUntil) > Date.now();
  return `Call ${call.id} is allowed once${isOpen ? "" : ", when it is made again within an hour"}`;
}

/** The id of the call that is meant if none is named. */
function onlyCall(calls: readonly WaitingCall[]): string {
  const [call] = calls;
  if (call === undefined)
    throw new Fault("not-found", "No call waits for approval. Run `clawport pins` to see what servers changed.");
  if (calls.length > 1) throw new Fault("usage", severalCalls("", calls));
  return call.id;
}

function ambiguous(name: string, calls: readonly WaitingCall[]): string {
  return severalCalls(` of ${name}`, calls);
}

function severalCalls(which: string, calls: readonly WaitingCall[]): string {
  const lines = calls.map(({ id, caller, arguments: shown }) => `  ${id}  ${callerName(caller)}  ${shown}`);
  return `${calls.length} calls${which} can be approved. Approve one by its id:\n${lines.join("\n")}`;
}

function nothingToApprove(what: string, caller: string | undefined): string {
  const whose = caller === undefined ? "" : ` from ${quoted(caller, 100)}`;
  return `No call ${quoted(what, 100)}${whose} waits for approval. Run \`clawport approvals\` to list those that do.`;
}
