import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { presetWords } from "../../../../src/core/config/preset-words.ts";
import { type Fault, toFault } from "../../../../src/core/fault.ts";
import type { RuleList, RuleTrial } from "../../../../src/hub/control/settings/edit-rules.ts";
import { act } from "../../hub/act.ts";
import { hub } from "../../hub/control.ts";
import { draftOf } from "../../hub/drafts.ts";
import { useLive } from "../../hub/live.ts";
import { Panel } from "../../parts/blocks.tsx";
import { FaultBox, Loaded } from "../../parts/states.tsx";
import { Button } from "../../parts/button.tsx";
import { Prose } from "../../parts/prose.tsx";
import { plural, visible } from "../../parts/words.tsx";
import { type Rule, RuleRow } from "./rule-row.tsx";
import { TrialView } from "./trial-view.tsx";

/** The rules that decide calls, in order, and what they would have done lately. */
export function RulesEditor() {
  const rules = useLive(() => hub.rules.list(), ["config"]);
  return (
    <div class="page">
      <Loaded from={rules}>{(list) => <Editor list={list} onSaved={rules.reload} />}</Loaded>
    </div>
  );
}

const typingMs = 300;

function Editor({ list, onSaved }: { readonly list: RuleList; onSaved(): void }) {
  const draft = draftOf("approvals", list.rules as readonly Rule[], list.hash);
  const trial = useSignal<RuleTrial | undefined>(undefined);
  const fault = useSignal<Fault | undefined>(undefined);
  const { isChanged } = draft;

  useEffect(() => {
    let isOld = false;
    const timer = setTimeout(() => {
      hub.rules.dryRun({ rules: draft.value }).then(
        (result) => !isOld && ((trial.value = result), (fault.value = undefined)),
        (error) => !isOld && (fault.value = toFault(error)),
      );
    }, typingMs);
    return () => {
      isOld = true;
      clearTimeout(timer);
    };
  }, [JSON.stringify(draft.value)]);

  const change = (at: number, rule: Rule): void => draft.set(draft.value.with(at, rule));
  const move = (at: number, by: number): void => {
    const rule = draft.value[at];
    if (rule !== undefined) draft.set(draft.value.toSpliced(at, 1).toSpliced(at + by, 0, rule));
  };
  return (
    <div class="stack">
      <p class="muted prose">
        The first rule that matches decides. If none does, the preset <b>{list.preset}</b> decides:{" "}
        <Prose text={`${presetWords[list.preset]}.`} />
      </p>
      <Panel
        title={plural(draft.value.length, "rule")}
        aside={
          <>
            {isChanged && (
              <Button local kind="quiet" onClick={draft.discard}>
                Discard
              </Button>
            )}
            <Button
              kind="main"
              disabled={!isChanged || fault.value !== undefined || draft.isOld}
              onClick={async () => {
                const save = () => hub.rules.save({ rules: draft.value, baseHash: list.hash });
                if (await act(save, "The rules are saved and active.")) draft.discard();
                onSaved();
              }}
            >
              Save rules
            </Button>
          </>
        }
        bare
      >
        <ol class="lines rules">
          {draft.value.map((rule, at) => (
            <RuleRow
              key={at}
              number={at + 1}
              rule={rule}
              decided={trial.value?.perRule[at]}
              isLast={at === draft.value.length - 1}
              onChange={(next) => change(at, next)}
              onMove={(by) => move(at, by)}
              onRemove={() => draft.set(draft.value.toSpliced(at, 1))}
            />
          ))}
        </ol>
        <div class="panel-body">
          <Button local icon="plus" onClick={() => draft.set([...draft.value, { tool: "*", verdict: "ask" }])}>
            Add a rule
          </Button>
        </div>
      </Panel>
      {draft.isOld && (
        <p class="hint-box" role="status">
          The rules have changed since you began to edit them. Discard your changes to go on from the rules as they are
          now.
        </p>
      )}
      {(list.folderRules?.length ?? 0) > 0 && (
        <p class="muted">
          {plural(list.folderRules?.length ?? 0, "more rule")} of a folder's configuration apply as well.
        </p>
      )}
      {fault.value !== undefined && <FaultBox fault={fault.value} />}
      {trial.value !== undefined && fault.value === undefined && <TrialView trial={trial.value} isDraft={isChanged} />}
      <p class="small muted break">Kept in {visible(list.path)}</p>
    </div>
  );
}
