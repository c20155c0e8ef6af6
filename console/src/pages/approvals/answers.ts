import { computed, signal } from "@preact/signals";
import type { ApprovalAnswer } from "../../../../src/catalog/advice.ts";
import type { WaitingCall, Widening } from "../../../../src/catalog/guard/approvals-file.ts";
import { type Fault, toFault } from "../../../../src/core/fault.ts";
import { show, spoken } from "../../hub/act.ts";
import { hub } from "../../hub/control.ts";
import { approvals } from "../../hub/shared.ts";

/** An answer that was given on this page: held back, under way, done, or one that the hub did not take. */
export interface GivenAnswer {
  readonly call: WaitingCall;
  readonly choice: ApprovalAnswer;
  readonly state: "held" | "sending" | "done" | Fault;
}

/** A denial can be taken back for this long. */
export const heldMs = 3000;

/** By the id of the call, which is never used again. */
export const given = signal<ReadonlyMap<string, GivenAnswer>>(new Map());
/** Denials that can still be taken back, the latest last. */
export const heldBack = computed(() => [...given.value.values()].filter(({ state }) => state === "held"));
export const isAnswered = (id: string): boolean => {
  const answer = given.value.get(id);
  return answer !== undefined && typeof answer.state === "string";
};

/** Calls whose whole text was in view: only those can be allowed. By id and hash. */
const read = new Set<string>();
const readKey = ({ id, hash }: Pick<WaitingCall, "id" | "hash">): string => `${id} ${hash}`;
export const noteRead = (call: WaitingCall): void => void read.add(readKey(call));
export const isRead = (call: WaitingCall): boolean => read.has(readKey(call));

const timers = new Map<string, ReturnType<typeof setTimeout>>();

function set(answers: readonly GivenAnswer[]): void {
  given.value = new Map([...given.value, ...answers.map((answer) => [answer.call.id, answer] as const)]);
}

/** Shows at once. A yes is sent at once and can't be taken back; a no is held back for a moment. */
export function answerCalls(calls: readonly WaitingCall[], choice: ApprovalAnswer, widened?: Widening): void {
  const isYes = choice === "once" || choice === "always";
  const taken = calls.filter((call) => !isAnswered(call.id) && (!isYes || isRead(call)));
  set(taken.map((call) => ({ call, choice, state: isYes ? "sending" : "held" })));
  for (const call of taken) {
    if (isYes) void send(call, choice, widened);
    else {
      const timer = setTimeout(() => void send(call, choice), heldMs);
      timers.set(call.id, timer);
    }
  }
  const [first] = calls;
  if (first !== undefined) spoken.value = `${answerWords[choice]}: ${countWords(calls)}.`;
}

/** Takes back the denials that were given last. */
export function undo(): void {
  const last = heldBack.value.at(-1);
  if (last === undefined) return;
  const batch = heldBack.value.filter(({ choice }) => choice === last.choice);
  for (const { call } of batch) clearTimeout(timers.get(call.id));
  const ids = new Set(batch.map(({ call }) => call.id));
  given.value = new Map([...given.value].filter(([id]) => !ids.has(id)));
  spoken.value = `Taken back: ${countWords(batch.map(({ call }) => call))} wait again.`;
}

async function send(call: WaitingCall, choice: ApprovalAnswer, widened?: Widening): Promise<void> {
  set([{ call, choice, state: "sending" }]);
  const { id, hash: seen } = call;
  try {
    await hub.approvals.approve({ id, answer: choice, confirmed: true, seen, ...(widened && { widened }) });
    set([{ call, choice, state: "done" }]);
    if (choice === "always" || choice === "never" || widened !== undefined) sayLasting(call, choice);
  } catch (error) {
    const fault = toFault(error);
    set([{ call, choice, state: fault }]);
    show("failed", `${call.name} was not answered: ${fault.message}`);
  }
  approvals.reload();
}

/** A lasting answer covers what is asked next, so it says how it is withdrawn. */
function sayLasting({ name }: WaitingCall, choice: ApprovalAnswer): void {
  const word = choice === "never" ? "never" : "always";
  show("done", `${name} is ${word} allowed, until you forget that under Remembered answers.`);
}

export const answerWords: Readonly<Record<ApprovalAnswer, string>> = {
  once: "Allowed once",
  always: "Always allowed",
  no: "Refused this time",
  never: "Never allowed",
};

function countWords(calls: readonly WaitingCall[]): string {
  return calls.length === 1 ? (calls[0]?.name ?? "") : `${calls.length} calls`;
}
