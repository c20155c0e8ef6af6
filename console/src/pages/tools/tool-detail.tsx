import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { ListedTool } from "../../../../src/hub/control/hub-control.ts";
import { hub } from "../../hub/control.ts";
import { useLive } from "../../hub/live.ts";
import { BackTo, Code, Empty, FaultBox, Panel } from "../../parts/blocks.tsx";
import { Button } from "../../parts/button.tsx";
import { Hints } from "../../parts/hints.tsx";
import { Segments } from "../../parts/segments.tsx";
import { visible } from "../../parts/words.tsx";
import { Link, pathTo } from "../../router/route.tsx";
import { firstValue } from "../../schema-form/field-kind.ts";
import { JsonInput } from "../../schema-form/json-input.tsx";
import { SchemaForm } from "../../schema-form/schema-form.tsx";
import { CallQuestions } from "./call-questions.tsx";
import { CopyAs } from "./copy-as.tsx";
import { ResultView } from "./result-view.tsx";
import { createToolRun } from "./tool-run.ts";

/** One tool: what it does, a form for its arguments, and its result. */
export function ToolDetail({ name }: { readonly name: string }) {
  const found = useLive(async () => (await hub.tools.find(name)) ?? null, ["tools-changed"], [name]);
  const tool = found.value.value;
  if (found.fault.value !== undefined && tool === undefined) return <FaultBox fault={found.fault.value} />;
  if (tool === undefined) return <p class="muted">Loading…</p>;
  if (tool === null)
    return (
      <Empty title="There is no such tool">
        <p class="muted">Its server may be disconnected, or it is held back until you approve it.</p>
        <Link class="button" to={pathTo("tools")}>
          All tools
        </Link>
      </Empty>
    );
  return <Tool tool={tool} />;
}

function Tool({ tool }: { readonly tool: ListedTool }) {
  const run = useMemo(() => createToolRun(tool.name), [tool.name]);
  useEffect(() => () => run.cancel(), [run]);
  const args = useSignal<unknown>(useMemo(() => firstValue(tool.inputSchema, tool.inputSchema) ?? {}, [tool.name]));
  const asJson = useSignal(false);
  const isValid = useSignal(true);
  const start = (): void => {
    if (isValid.value) void run.start((args.value ?? {}) as Readonly<Record<string, unknown>>);
  };
  const isRunning = run.state.value.kind === "running";
  return (
    <div class="stack">
      <div>
        <BackTo to={`${pathTo("tools")}${location.search}`}>Tools</BackTo>
        <div class="row row-wrap">
          <h2 class="title mono break">{visible(tool.name)}</h2>
          <Hints annotations={tool.annotations} />
          <span class="small muted">
            from <Link to={pathTo("servers", tool.source)}>{visible(tool.source)}</Link>
          </span>
        </div>
        <Description text={tool.description ?? tool.title ?? ""} />
      </div>
      <div class="run-columns">
        <form
          onSubmit={(event) => {
            event.preventDefault();
            start();
          }}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey || event.target instanceof HTMLInputElement))
              return;
            event.preventDefault();
            start();
          }}
        >
          <Panel
            title="Arguments"
            aside={
              <Segments
                label="How to enter them"
                choices={[
                  ["form", "Form"],
                  ["json", "JSON"],
                ]}
                value={asJson.value ? "json" : "form"}
                onChoose={(way) => {
                  asJson.value = way === "json";
                  isValid.value = true;
                }}
              />
            }
          >
            {asJson.value ? (
              <JsonInput
                id="arguments"
                label="Arguments as JSON"
                rows={10}
                value={args.value ?? {}}
                onChange={(value) => (args.value = value)}
                onValid={(valid) => (isValid.value = valid)}
              />
            ) : (
              <SchemaForm schema={tool.inputSchema} value={args.value} onChange={(value) => (args.value = value)} />
            )}
            <div class="row row-wrap">
              {isRunning ? (
                <Button onClick={run.cancel}>Cancel</Button>
              ) : (
                <Button kind="main" hotkey="⏎" disabled={!isValid.value} onClick={start}>
                  Run
                </Button>
              )}
              <CopyAs tool={tool.name} args={args.value ?? {}} />
            </div>
          </Panel>
        </form>
        <div class="stack">
          <CallQuestions run={run} />
          <ResultView run={run} />
        </div>
      </div>
      <details>
        <summary class="muted">Schema</summary>
        <div class="stack-small">
          <Code text={JSON.stringify(tool.inputSchema, undefined, 2)} label="Schema of the arguments" />
          {tool.outputSchema !== undefined && (
            <Code text={JSON.stringify(tool.outputSchema, undefined, 2)} label="Schema of the result" />
          )}
        </div>
      </details>
    </div>
  );
}

const shortLength = 320;

/** A long description is a few lines until it is opened. */
function Description({ text }: { readonly text: string }) {
  const isOpen = useSignal(false);
  const isLong = text.length > shortLength;
  return (
    <p class="muted pre break prose">
      {visible(isLong && !isOpen.value ? `${text.slice(0, shortLength)}…` : text)}{" "}
      {isLong && (
        <button
          type="button"
          class="inline-button"
          aria-expanded={isOpen.value}
          onClick={() => (isOpen.value = !isOpen.value)}
        >
          {isOpen.value ? "less" : "more"}
        </button>
      )}
    </p>
  );
}
