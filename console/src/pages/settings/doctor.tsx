import type { FindingLevel } from "../../../../src/hub/doctor/finding.ts";
import { hub } from "../../hub/control.ts";
import { useLive } from "../../hub/live.ts";
import { status } from "../../hub/shared.ts";
import { Code, Panel } from "../../parts/blocks.tsx";
import { Loaded } from "../../parts/states.tsx";
import { Button } from "../../parts/button.tsx";
import { Shape, type Tone } from "../../parts/state-mark.tsx";
import { Ago, visible } from "../../parts/words.tsx";

const tones: Readonly<Record<FindingLevel, Tone>> = { ok: "ok", info: "off", warn: "warn", fail: "bad" };

/** What `clawport doctor` finds, and the hub's own log. */
export function Doctor() {
  const findings = useLive(() => hub.doctor.findings(), ["config"]);
  const log = useLive(() => hub.status.log(), ["status"]);
  return (
    <div class="stack">
      <Panel
        title="Findings"
        aside={<Button local kind="quiet" icon="reload" label="Look again" onClick={findings.reload} />}
        bare
      >
        <Loaded from={findings}>
          {(list) => (
            <ul class="lines">
              {list.map((each) => (
                <li key={JSON.stringify(each)}>
                  <Shape tone={tones[each.level]} />
                  <span class="grow break">
                    {visible(each.what)}
                    {each.fix !== undefined && <code class="block muted break">{visible(each.fix)}</code>}
                  </span>
                  <span class="tag">{visible(each.check)}</span>
                </li>
              ))}
            </ul>
          )}
        </Loaded>
      </Panel>
      <Panel title="The hub">
        <Loaded from={status}>
          {(now) => (
            <p class="muted">
              Version {now.version}, process {now.pid}, started <Ago at={now.startedAt} />
            </p>
          )}
        </Loaded>
        <Loaded from={log}>
          {(lines) =>
            lines.length === 0 ? (
              <p class="muted">Its log is empty.</p>
            ) : (
              <Code text={lines.join("\n")} label="The hub's log" />
            )
          }
        </Loaded>
      </Panel>
    </div>
  );
}
