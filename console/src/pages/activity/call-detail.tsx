import type { AuditLine } from "../../../../src/catalog/audit/audit-line.ts";
import type { CallDetail } from "../../../../src/hub/control/queries/search-audit.ts";
import { ranMs } from "../../../../src/catalog/audit/call-words.ts";
import { callerName } from "../../../../src/catalog/caller.ts";
import { hub } from "../../hub/control.ts";
import { useLive } from "../../hub/live.ts";
import { BackTo, Code } from "../../parts/blocks.tsx";
import { Loaded } from "../../parts/states.tsx";
import { outcomeWords, Shape, StateMark, type Tone } from "../../parts/state-mark.tsx";
import { Ago, durationText, sizeText, visible } from "../../parts/words.tsx";
import { Link, pathTo, useTitle } from "../../router/route.tsx";
import { ruleWords } from "../../parts/prose.tsx";

/** One call, step by step: who, why it was allowed, what came of it. */
export function CallDetailView({ id }: { readonly id: string }) {
  const detail = useLive(() => hub.audit.steps({ id }), [], [id]);
  return <Loaded from={detail}>{(call) => <Call call={call} />}</Loaded>;
}

function Call({ call: { line, steps, inside } }: { readonly call: CallDetail }) {
  useTitle(line.tool);
  const { tone, word } = outcomeWords(line.outcome);
  const caller = line.client ?? line.token ?? line.door;
  return (
    <div class="stack">
      <div>
        <BackTo to={`${pathTo("activity")}${location.search}`}>Activity</BackTo>
        <div class="row row-wrap">
          <h2 class="title mono break">{visible(line.tool)}</h2>
          <StateMark tone={tone}>{word}</StateMark>
        </div>
        <p class="muted">
          <Ago at={line.time} />, {durationText(ranMs(line))}
          {line.waited !== undefined && `, waited ${durationText(line.waited)}`}
        </p>
      </div>
      <ol class="steps">
        {steps.map((step) => (
          <li key={step.step}>
            <span class="mark">
              <Shape tone={toneOf(step.step, line)} />
            </span>
            <div class="row">
              <b>{stepNames[step.step]}</b>
              <span class="small muted num">{clockText(step.at)}</span>
            </div>
            <p class="break muted">{visible(ruleWords(step.text))}</p>
          </li>
        ))}
      </ol>
      {inside.length > 0 && (
        <section>
          <h3>Called on its behalf</h3>
          <ul class="lines panel">
            {inside.map((each) => (
              <li key={each.id}>
                <Shape tone={outcomeWords(each.outcome).tone} />
                <Link class="mono grow clip" to={pathTo("activity", each.id)}>
                  {visible(each.tool)}
                </Link>
                <span class="small muted num">{durationText(ranMs(each))}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
      <dl class="facts">
        <dt>Caller</dt>
        <dd>
          <Link to={`${pathTo("activity")}?caller=${encodeURIComponent(caller)}`}>{visible(callerName(line))}</Link>
        </dd>
        <dt>Door</dt>
        <dd>{line.door}</dd>
        <dt>Source</dt>
        <dd class="break">{visible(line.source)}</dd>
        <dt>Sent, received</dt>
        <dd>
          {sizeText(line.in)}, {sizeText(line.out)}
        </dd>
        {line.arguments !== undefined && (
          <>
            <dt>Arguments</dt>
            <dd class="mono break">{visible(line.arguments)}</dd>
          </>
        )}
      </dl>
      <div class="row row-wrap">
        <Link class="button" to={pathTo("tools", line.tool)}>
          Open the tool
        </Link>
        <Link class="button" to={`${pathTo("activity")}?tool=${encodeURIComponent(line.tool)}`}>
          All calls of it
        </Link>
      </div>
      <details>
        <summary class="muted">The line in the audit</summary>
        <Code text={JSON.stringify(line, undefined, 2)} label="The line in the audit" />
      </details>
    </div>
  );
}

const stepNames: Readonly<Record<CallDetail["steps"][number]["step"], string>> = {
  arrived: "Arrived",
  judged: "Judged",
  ran: "Ran",
  ended: "Ended",
};

function toneOf(step: string, line: AuditLine): Tone {
  if (step === "judged") return line.verdict === "allow" ? "ok" : line.verdict === "ask" ? "warn" : "bad";
  if (step === "ended") return outcomeWords(line.outcome).tone;
  return "off";
}

function clockText(at: string): string {
  return new Date(at).toLocaleTimeString([], {
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    fractionalSecondDigits: 3,
    hour12: false,
  });
}
