import type { Approval } from "../../../../src/catalog/guard/approvals-file.ts";
import { act } from "../../hub/act.ts";
import { hub } from "../../hub/control.ts";
import { approvals } from "../../hub/shared.ts";
import { Empty } from "../../parts/blocks.tsx";
import { Button } from "../../parts/button.tsx";
import { StateMark } from "../../parts/state-mark.tsx";
import { Ago, visible } from "../../parts/words.tsx";

/** Answers that last, and how to take them back. */
export function RememberedAnswers({ list }: { readonly list: readonly Approval[] }) {
  if (list.length === 0)
    return (
      <Empty title="No answer is remembered">
        <p class="muted">"Always" and "never" are kept here, so that you are asked once.</p>
      </Empty>
    );
  return (
    <div class="page">
      <div class="panel">
        <ul class="lines">
          {list.map((approval) => {
            const { name, caller, choice, at } = approval;
            const scope =
              caller === undefined
                ? "every client"
                : [caller.door, caller.token, caller.sender, caller.agent].filter(Boolean).join("/");
            return (
              <li key={JSON.stringify(approval)}>
                <span class="answer-word">
                  <StateMark tone={choice === "always" ? "ok" : "bad"}>{choice}</StateMark>
                </span>
                <span class="grow">
                  <span class="mono break">{visible(name ?? "every tool")}</span>
                  <span class="small muted block">
                    {visible(scope)} · <Ago at={at} />
                  </span>
                </span>
                <Button
                  onClick={async () => {
                    await act(() => hub.approvals.forget(name ?? scope), "Forgotten: you will be asked again.");
                    approvals.reload();
                  }}
                >
                  Forget
                </Button>
              </li>
            );
          })}
        </ul>
      </div>
    </div>
  );
}
