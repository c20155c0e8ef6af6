import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { ApprovalAnswer } from "../../../../src/catalog/advice.ts";
import type { WaitingCall } from "../../../../src/catalog/guard/approvals-file.ts";
import type { Widening } from "../../../../src/catalog/guard/approvals.ts";
import { act } from "../../hub/act.ts";
import { hub } from "../../hub/control.ts";
import { useLive } from "../../hub/live.ts";
import { approvals } from "../../hub/shared.ts";
import { isStillWaiting } from "../../hub/still-waiting.ts";
import { BackTo, Code, Diff } from "../../parts/blocks.tsx";
import { Button } from "../../parts/button.tsx";
import { hintWords } from "../../parts/hints.tsx";
import { useKey } from "../../parts/keyboard.tsx";
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
  const tool = useLive(async () => (await hub.tools.find(call.name).catch(() => undefined)) ?? null, [], [call.name]);
  const isOpen = isStillWaiting(call);
  const hints = hintWords(tool.value.value?.annotations);

  const isSeen = useSignal(false);
  useEffect(() => {
    const timer = setTimeout(() => (isSeen.value = true), unseenMs);
    return () => clearTimeout(timer);
  }, []);

  async function answer(choice: ApprovalAnswer, widened?: Widening): Promise<void> {
    if (!isSeen.value) return;
    const isDone = await act(
      () => hub.approvals.approve(call.id, { answer: choice, confirmed: true, ...(widened && { widened }) }),
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
      <Arguments text={call.arguments} />
      <div class="hint-box break">Why you are asked: {visible(ruleWords(call.reason))}.</div>
      {call.detail !== undefined &&
        (/^[+-]/m.test(call.detail) ? (
          <Diff text={call.detail} label="Details" />
        ) : (
          <Code text={call.detail} label="Details" />
        ))}
      <div class="row row-wrap answers">
        <Button kind="main" hotkey="o" disabled={!isSeen.value} onClick={() => answer("once")}>
          Allow once
        </Button>
        {call.lasting && (
          <Button hotkey="a" disabled={!isSeen.value} onClick={() => answer("always")}>
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
      {call.lasting && (
        <details>
          <summary class="muted">Allow more than this</summary>
          <div class="row row-wrap">
            <Button onClick={() => answer("always", "caller")}>Everything this client calls</Button>
            <Button onClick={() => answer("always", "tool")}>This tool for every client</Button>
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

/** Arguments by name if they are an object. They are masked, and may be cut off. */
function Arguments({ text }: { readonly text: string }) {
  const fields = fieldsOf(text);
  if (fields === undefined) return <Code text={text} label="Arguments" />;
  if (fields.length === 0) return <p class="muted">Without arguments.</p>;
  return (
    <dl class="facts code" tabIndex={0} role="group" aria-label="Arguments">
      {fields.map(([name, value]) => (
        <>
          <dt>{visible(name)}</dt>
          <dd class="pre">{visible(typeof value === "string" ? value : JSON.stringify(value, undefined, 2))}</dd>
        </>
      ))}
    </dl>
  );
}

function fieldsOf(text: string): readonly (readonly [string, unknown])[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? Object.entries(value) : undefined;
  } catch {
    return undefined;
  }
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
