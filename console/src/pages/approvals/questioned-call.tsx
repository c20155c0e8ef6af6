import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { WaitingCall, Widening } from "../../../../src/catalog/guard/approvals-file.ts";
import { mayChange } from "../../hub/events.ts";
import { hub } from "../../hub/control.ts";
import { useLive } from "../../hub/live.ts";
import { isStillWaiting } from "../../hub/still-waiting.ts";
import { BackTo, Code, Diff } from "../../parts/blocks.tsx";
import { Button } from "../../parts/button.tsx";
import { hintWords } from "../../parts/hints.tsx";
import { useKey } from "../../parts/use-key.ts";
import { Skeleton } from "../../parts/states.tsx";
import { UnreadNote, WholeText } from "../../parts/whole-text.tsx";
import { Ago, plural, visible } from "../../parts/words.tsx";
import { pathTo, useTitle } from "../../router/route.tsx";
import { ruleWords } from "../../parts/prose.tsx";
import { answerCalls, isRead as wasRead, noteRead } from "./answers.ts";
import { callerWords } from "./inbox.ts";
import { proposedChange } from "./proposed-change.ts";

/** A second click or key for the previous call must not allow this one, which took its place. */
const unseenMs = 400;

/** A lasting answer, which asks once more before it is given. */
interface Lasting {
  readonly choice: "always" | "never";
  readonly widened?: Widening;
}

interface QuestionedCallProps {
  readonly call: WaitingCall;
  /** Everything that waits: a lasting answer may cover some of it. */
  readonly others: readonly WaitingCall[];
  /** Whether keys and buttons answer this call, not what is selected. */
  readonly hasKeys: boolean;
  onAnswered(): void;
}

/** A call in plain words, with everything that must be seen before answering, and what each answer covers. */
export function QuestionedCallView({ call, others, hasKeys, onAnswered }: QuestionedCallProps) {
  useTitle(call.name);
  const tool = useLive(
    async () => (await hub.tools.find({ name: call.name }).catch(() => undefined)) ?? null,
    [],
    [call.name],
  );
  const isOpen = isStillWaiting(call);
  const hints = hintWords(tool.value?.annotations);

  // The list has a shortened text with secrets masked. The whole of it is in the hub's memory only, and of a call that
  // another process judges it comes a moment later: it is read until it is there.
  const whole = useMemo(() => ({ text: null as string | null }), [call.id]);
  const shown = useLive(
    async () => (whole.text ??= (await hub.approvals.show({ id: call.id })).text ?? null),
    ["approvals"],
    [call.id],
  );
  const text = shown.value;
  const isRead = useSignal(wasRead(call));
  const isSeen = useSignal(false);
  const asking = useSignal<Lasting | undefined>(undefined);
  useEffect(() => {
    const timer = setTimeout(() => (isSeen.value = true), unseenMs);
    return () => clearTimeout(timer);
  }, []);
  useEffect(() => {
    if (isRead.value) noteRead(call);
  }, [isRead.value]);

  const mayAllow = isSeen.value && isRead.value;
  function answer(choice: "once" | "no" | Lasting): void {
    const { choice: given, widened } = typeof choice === "string" ? { choice, widened: undefined } : choice;
    if (!mayChange.value || ((given === "once" || given === "always") && !mayAllow)) return;
    answerCalls([call], given, widened);
    onAnswered();
  }
  function ask(lasting: Lasting): void {
    if (mayChange.value && (lasting.choice === "never" || mayAllow)) asking.value = lasting;
  }
  useKey("o", () => answer("once"), hasKeys);
  useKey("a", () => ask({ choice: "always" }), hasKeys && call.lasting);
  useKey("n", () => answer("no"), hasKeys);
  useKey("v", () => ask({ choice: "never" }), hasKeys && call.lasting);

  const change = typeof text === "string" ? proposedChange(text) : undefined;
  return (
    <div class="stack" data-call={call.id}>
      <div>
        <BackTo to={pathTo("approvals")}>Approvals</BackTo>
        <h2 class="title mono break">{visible(call.name)}</h2>
        <p>
          <b class="break">{visible(callerWords(call))}</b> wants to call it
          {hints.length > 0 && `: ${hints.join(", ")}`}.
        </p>
        <p class="muted">
          {isOpen ? (
            <>
              It waits; the time ends <Ago at={call.openUntil} />.
            </>
          ) : (
            <>
              It was refused <Ago at={call.at} /> because no one answered. An approval counts when it is called again.
            </>
          )}
        </p>
      </div>
      <div class="hint-box break">Why you are asked: {visible(ruleWords(call.reason))}.</div>
      {change !== undefined && (
        <section class="stack-small change" aria-label="What it would change">
          <h3 class="break">{visible(change.title)}</h3>
          <Diff text={change.diff} label="The difference" />
        </section>
      )}
      {typeof text === "string" ? (
        <WholeText text={text} label="The call" isRead={isRead} isDiff={/^[+-]/m.test(text)} />
      ) : (
        <ShortenedCall call={call} isLoading={text === undefined && shown.fault === undefined} />
      )}
      {typeof text === "string" && <UnreadNote isRead={isRead} />}
      {!hasKeys ? null : asking.value === undefined ? (
        <div class="answers">
          <Answer label="Allow once" hotkey="o" kind="main" isOn={mayAllow} onClick={() => answer("once")}>
            This call only. It runs at once, so this can't be taken back.
          </Answer>
          <Answer label="Not now" hotkey="n" isOn onClick={() => answer("no")}>
            Refuses this call only. You can undo it for three seconds.
          </Answer>
          {call.lasting && (
            <>
              <Answer
                label="Always for this client"
                hotkey="a"
                isOn={mayAllow}
                onClick={() => ask({ choice: "always" })}
              >
                {visible(scopeWords(call))}, from now on.
              </Answer>
              <Answer label="Never" hotkey="v" kind="bad" isOn onClick={() => ask({ choice: "never" })}>
                {visible(scopeWords(call))}, from now on.
              </Answer>
            </>
          )}
        </div>
      ) : (
        <LastingQuestion
          lasting={asking.value}
          call={call}
          others={others}
          onYes={() => asking.value && answer(asking.value)}
          onNo={() => (asking.value = undefined)}
        />
      )}
      {call.lasting && hasKeys && asking.value === undefined && (
        <details>
          <summary class="muted">Allow more than this</summary>
          <div class="row row-wrap">
            <Button disabled={!mayAllow} onClick={() => ask({ choice: "always", widened: "caller" })}>
              Everything this client calls
            </Button>
            <Button disabled={!mayAllow} onClick={() => ask({ choice: "always", widened: "tool" })}>
              This tool for every client
            </Button>
          </div>
        </details>
      )}
      {call.grantCommand !== undefined && (
        <p class="muted">
          To allow it for good: <code class="break">{visible(call.grantCommand)}</code>
        </p>
      )}
    </div>
  );
}

interface AnswerProps {
  readonly label: string;
  readonly hotkey: string;
  readonly kind?: "main" | "bad";
  readonly isOn: boolean;
  /** What it covers. */
  readonly children: string | readonly string[];
  onClick(): void;
}

function Answer({ label, hotkey, kind, isOn, children, onClick }: AnswerProps) {
  return (
    <div class="answer">
      <Button hotkey={hotkey} disabled={!isOn} onClick={onClick} {...(kind === undefined ? {} : { kind })}>
        {label}
      </Button>
      <span class="small muted break">{children}</span>
    </div>
  );
}

/** `files__write_file for Claude Code (token laptop)`: what a lasting answer covers. */
function scopeWords(call: WaitingCall, widened?: Widening): string {
  if (widened === "caller") return `Every tool for ${callerWords(call)}`;
  return `${call.name} for ${widened === "tool" ? "every client" : callerWords(call)}`;
}

/** Calls that wait and would get the same answer. */
function coveredBy(call: WaitingCall, others: readonly WaitingCall[], widened?: Widening): readonly WaitingCall[] {
  const scopeOf = ({ caller, source, tool }: WaitingCall): string =>
    JSON.stringify([widened === "tool" ? "" : caller, ...(widened === "caller" ? [] : [source, tool])]);
  return others.filter((each) => each.id !== call.id && each.lasting && scopeOf(each) === scopeOf(call));
}

interface LastingQuestionProps {
  readonly lasting: Lasting;
  readonly call: WaitingCall;
  readonly others: readonly WaitingCall[];
  onYes(): void;
  onNo(): void;
}

/** A lasting answer asks once more, in place, and names everything that it decides. */
function LastingQuestion({ lasting: { choice, widened }, call, others, onYes, onNo }: LastingQuestionProps) {
  const covered = coveredBy(call, others, widened);
  const isYes = choice === "always";
  useKey(isYes ? "a" : "v", onYes);
  useKey("Escape", onNo);
  return (
    <div class="confirm row-wrap" role="group" aria-label={isYes ? "Always allow" : "Never allow"}>
      <span class="grow break">
        {isYes ? "Always allow" : "Never allow"} <b>{visible(scopeWords(call, widened))}</b>?
        {covered.length > 0 &&
          ` This also ${isYes ? "allows" : "refuses"} ${plural(covered.length, "other call")} that ${covered.length === 1 ? "waits" : "wait"} now.`}{" "}
        You can withdraw it at any time under Remembered answers.
      </span>
      <Button kind={isYes ? "main" : "bad"} hotkey={isYes ? "a" : "v"} onClick={onYes}>
        {isYes ? "Always allow" : "Never allow"}
      </Button>
      <Button local onClick={onNo}>
        Back
      </Button>
    </div>
  );
}

/** What was stored of a call, which takes no yes. */
function ShortenedCall({ call, isLoading }: { readonly call: WaitingCall; readonly isLoading: boolean }) {
  if (isLoading) return <Skeleton />;
  return (
    <>
      <Code text={call.arguments} label="Arguments, shortened" />
      <p class="muted">
        Only a shortened record of this call is left here, so it can be refused, but not allowed. When it is called
        again, all of it is shown.
      </p>
    </>
  );
}
