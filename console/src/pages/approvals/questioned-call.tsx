import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { ApprovalAnswer } from "../../../../src/catalog/advice.ts";
import type { WaitingCall } from "../../../../src/catalog/guard/approvals-file.ts";
import type { Widening } from "../../../../src/catalog/guard/approvals-file.ts";
import { act } from "../../hub/act.ts";
import { hub } from "../../hub/control.ts";
import { useLive } from "../../hub/live.ts";
import { approvals } from "../../hub/shared.ts";
import { isStillWaiting } from "../../hub/still-waiting.ts";
import { BackTo, Code } from "../../parts/blocks.tsx";
import { Button } from "../../parts/button.tsx";
import { hintWords } from "../../parts/hints.tsx";
import { useKey } from "../../parts/keyboard.tsx";
import { UnreadNote, WholeText } from "../../parts/whole-text.tsx";
import { Ago, visible } from "../../parts/words.tsx";
import { navigate, pathTo } from "../../router/route.tsx";
import { ruleWords } from "../../parts/prose.tsx";

/** `Claude Code (token laptop)`: the name is the client's own, the token was checked. */
export function callerWords({ client, caller }: Pick<WaitingCall, "client" | "caller">): string {
  const checked = [caller.token && `token ${caller.token}`, caller.sender, caller.agent && `agent ${caller.agent}`];
  const proof = checked.filter(Boolean).join(", ") || caller.door;
  return client === undefined ? proof : `${client} (${proof})`;
}

/** A second click or key for the previous call must not answer this one, which took its place. */
const unseenMs = 400;

/** A call in plain words, with everything that must be seen before answering. */
export function QuestionedCallView({ call }: { readonly call: WaitingCall }) {
  const tool = useLive(
    async () => (await hub.tools.find({ name: call.name }).catch(() => undefined)) ?? null,
    [],
    [call.name],
  );
  const isOpen = isStillWaiting(call);
  const hints = hintWords(tool.value?.annotations);

  // The list has a shortened text with secrets masked. The whole of it is in the hub's memory only.
  const shown = useLive(async () => (await hub.approvals.show({ id: call.id })).text ?? null, [], [call.id]);
  const text = shown.value;
  const isRead = useSignal(false);
  const isSeen = useSignal(false);
  useEffect(() => {
    const timer = setTimeout(() => (isSeen.value = true), unseenMs);
    return () => clearTimeout(timer);
  }, []);

  async function answer(choice: ApprovalAnswer, widened?: Widening): Promise<void> {
    const isYes = choice === "once" || choice === "always";
    if (!isSeen.value || (isYes && !isRead.value)) return;
    const isDone = await act(
      () =>
        hub.approvals.approve({
          id: call.id,
          answer: choice,
          confirmed: true,
          seen: call.hash,
          ...(widened && { widened }),
        }),
      doneText(choice, call.name),
    );
    approvals.reload();
    if (isDone) navigate(pathTo("approvals"));
  }
  useKey("o", () => void answer("once"));
  useKey("a", () => void answer("always"), call.lasting);
  useKey("n", () => void answer("no"));
  useKey("v", () => void answer("never"), call.lasting);

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
      {typeof text === "string" ? (
        <WholeText text={text} label="The call" isRead={isRead} isDiff={/^[+-]/m.test(text)} />
      ) : (
        <ShortenedCall call={call} isLoading={text === undefined && shown.fault === undefined} />
      )}
      <div class="row row-wrap answers">
        <Button kind="main" hotkey="o" disabled={!isSeen.value || !isRead.value} onClick={() => answer("once")}>
          Allow once
        </Button>
        {call.lasting && (
          <Button hotkey="a" disabled={!isSeen.value || !isRead.value} onClick={() => answer("always")}>
            Always for this client
          </Button>
        )}
        <Button hotkey="n" disabled={!isSeen.value} onClick={() => answer("no")}>
          Not now
        </Button>
        {call.lasting && (
          <Button kind="bad" hotkey="v" disabled={!isSeen.value} onClick={() => answer("never")}>
            Never
          </Button>
        )}
      </div>
      {typeof text === "string" && <UnreadNote isRead={isRead} />}
      {call.lasting && (
        <details>
          <summary class="muted">Allow more than this</summary>
          <div class="row row-wrap">
            <Button disabled={!isRead.value} onClick={() => answer("always", "caller")}>
              Everything this client calls
            </Button>
            <Button disabled={!isRead.value} onClick={() => answer("always", "tool")}>
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

/** What was stored of a call, which takes no yes. */
function ShortenedCall({ call, isLoading }: { readonly call: WaitingCall; readonly isLoading: boolean }) {
  if (isLoading)
    return (
      <p class="muted" aria-busy="true">
        Loading…
      </p>
    );
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

function doneText(choice: ApprovalAnswer, name: string): string {
  switch (choice) {
    case "once":
      return `Allowed ${name} once.`;
    case "always":
      return `${name} is always allowed.`;
    case "never":
      return `${name} is never allowed.`;
    case "no":
      return `Refused ${name} this time.`;
  }
}
