import type { RuleTrial } from "../../../../src/hub/control/settings/edit-rules.ts";
import { Panel } from "../../parts/blocks.tsx";
import { StateMark, type Tone } from "../../parts/state-mark.tsx";
import { Ago, countText, plural, visible } from "../../parts/words.tsx";
import { Link, pathTo } from "../../router/route.tsx";
import { ruleWords } from "../../parts/prose.tsx";

const tones: Readonly<Record<string, Tone>> = { allow: "ok", ask: "warn", deny: "bad" };

/** What the rules would have done to the last calls. */
export function TrialView({ trial, isDraft }: { readonly trial: RuleTrial; readonly isDraft: boolean }) {
  if (trial.calls === 0) return <p class="muted">There are no calls to try the rules on yet.</p>;
  return (
    <Panel
      title={`Dry run on the last ${plural(trial.calls, "call")}`}
      aside={<span class="small muted">{isDraft ? "not saved yet" : "as saved"}</span>}
    >
      <div class="figures" data-trial="">
        {(["allow", "ask", "deny"] as const).map((verdict) => (
          <div key={verdict} class="figure">
            <b>{countText(trial[verdict])}</b>
            <span>
              <StateMark tone={tones[verdict] ?? "off"}>{verdict}</StateMark>
            </span>
          </div>
        ))}
        <div class="figure">
          <b>{countText(trial.changed)}</b>
          <span>judged differently than they were</span>
        </div>
      </div>
      {trial.examples.length > 0 && (
        <div class="table-box" tabIndex={0} role="region" aria-label="Calls that would be judged differently">
          <table class="table">
            <thead>
              <tr>
                <th>When</th>
                <th>Tool</th>
                <th>Caller</th>
                <th>Was</th>
                <th>Would be</th>
                <th>Because of</th>
              </tr>
            </thead>
            <tbody>
              {trial.examples.slice(0, 20).map((each) => (
                <tr key={each.id}>
                  <td>
                    <Ago at={each.time} />
                  </td>
                  <td>
                    <Link class="mono break" to={pathTo("activity", each.id)}>
                      {visible(each.tool)}
                    </Link>
                  </td>
                  <td class="break">{visible(each.caller)}</td>
                  <td>{each.was}</td>
                  <td>
                    <StateMark tone={tones[each.would] ?? "off"}>{each.would}</StateMark>
                  </td>
                  <td class="muted">{ruleWords(each.by)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  );
}
