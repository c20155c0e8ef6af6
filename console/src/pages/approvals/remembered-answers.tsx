import type { Approval } from "../../../../src/catalog/guard/approvals-file.ts";
import type { HeldDefinition } from "../../../../src/catalog/guard/held-definition.ts";
import { act } from "../../hub/act.ts";
import { hub } from "../../hub/control.ts";
import { type Live, useLive } from "../../hub/live.ts";
import { approvals } from "../../hub/shared.ts";
import { Panel } from "../../parts/blocks.tsx";
import { Empty } from "../../parts/states.tsx";
import { Button } from "../../parts/button.tsx";
import { StateMark } from "../../parts/state-mark.tsx";
import { Ago, visible } from "../../parts/words.tsx";
import { Link, pathTo } from "../../router/route.tsx";

/** The definitions that were rejected. */
export function useRejected(): Live<readonly HeldDefinition[]> {
  return useLive(
    async () => (await hub.pins.list()).filter(({ state }) => state === "refused"),
    ["approvals", "pins", "tools-changed"],
  );
}

/** Answers that last, and how to take them back. */
export function RememberedAnswers({ list }: { readonly list: readonly Approval[] }) {
  const rejected = useRejected().value ?? [];
  if (list.length + rejected.length === 0)
    return (
      <Empty title="No answer is remembered">
        <p class="muted">
          "Always" and "never" are kept here, so that you are asked once, and changed definitions that you rejected.
        </p>
      </Empty>
    );
  return (
    <div class="page stack">
      {rejected.length > 0 && <Rejected list={rejected} />}
      {list.length > 0 && <Answers list={list} />}
    </div>
  );
}

function Rejected({ list }: { readonly list: readonly HeldDefinition[] }) {
  return (
    <Panel title="Rejected definitions" bare>
      <ul class="lines">
        {list.map((held) => (
          <li key={`${held.source} ${held.name}`}>
            <span class="answer-word">
              <StateMark tone="bad">rejected</StateMark>
            </span>
            <span class="grow">
              <span class="mono break">{visible(held.name)}</span>
              <span class="small muted block">
                {visible(held.source)} · changed <Ago at={held.since} />
              </span>
            </span>
            <Link
              class="button"
              to={pathTo("approvals", "changed", held.name)}
              aria-label={`See diff of ${visible(held.name)}`}
            >
              See diff
            </Link>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function Answers({ list }: { readonly list: readonly Approval[] }) {
  return (
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
                  await act(() => hub.approvals.forget({ tool: name ?? scope }), "Forgotten: you will be asked again.");
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
  );
}
