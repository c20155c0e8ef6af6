import { useSignal } from "@preact/signals";
import { parseJson } from "../../../../src/core/json.ts";
import type { ToolResult } from "../../../../src/mcp/messages/tool.ts";
import type { ShownBlock } from "../../hub/call-tool.ts";
import { Code, Panel } from "../../parts/blocks.tsx";
import { FaultBox } from "../../parts/states.tsx";
import { CopyButton } from "../../parts/button.tsx";
import { JsonTree } from "../../parts/json-tree.tsx";
import { Segments } from "../../parts/segments.tsx";
import { StateMark } from "../../parts/state-mark.tsx";
import { durationText, visible } from "../../parts/words.tsx";
import { BlockView } from "./block-view.tsx";
import type { ToolRun } from "./tool-run.ts";

const views = ["text", "JSON", "raw"] as const;

/** What a call is doing, and what came of it. */
export function ResultView({ run }: { readonly run: ToolRun }) {
  const state = run.state.value;
  const chosen = useSignal<(typeof views)[number] | undefined>(undefined);
  if (state.kind === "idle")
    return (
      <Panel title="Result">
        <p class="muted">Run it to see the result here. The guard judges the call like any other.</p>
      </Panel>
    );
  if (state.kind === "running")
    return (
      <Panel title="Result" aside={<StateMark tone="busy">running</StateMark>}>
        <Progress {...state.progress} />
        {run.log.value.length > 0 && <Code text={run.log.value.join("\n")} label="What the server logged" />}
      </Panel>
    );
  if (state.kind === "failed")
    return (
      <Panel
        title="Result"
        aside={<StateMark tone={state.fault.code === "cancelled" ? "off" : "bad"}>{state.fault.code}</StateMark>}
      >
        <FaultBox fault={state.fault} />
      </Panel>
    );
  const { result, ms } = state;
  const json = jsonOf(result);
  const view = chosen.value ?? "text";
  return (
    <Panel
      title={
        <StateMark tone={result.isError === true ? "bad" : "ok"}>
          {result.isError === true ? "tool error" : "done"} in {durationText(ms)}
        </StateMark>
      }
      aside={
        <Segments
          label="How to show it"
          choices={views.filter((each) => each !== "JSON" || json !== undefined).map((each) => [each, each])}
          value={view}
          onChoose={(each) => (chosen.value = each)}
        />
      }
    >
      <div data-result={result.isError === true ? "error" : "ok"} class="stack-small">
        {view === "text" && <Blocks result={result} />}
        {view === "JSON" && <JsonTree value={json} />}
        {view === "raw" && <Code text={JSON.stringify(result, undefined, 2)} label="The result as it came" />}
      </div>
      <div class="row">
        <CopyButton text={() => JSON.stringify(result, undefined, 2)} what="the result" label="Copy" />
      </div>
    </Panel>
  );
}

function Progress({
  progress,
  total,
  message,
}: {
  readonly progress?: number;
  readonly total?: number;
  readonly message?: string;
}) {
  return (
    <>
      {progress !== undefined && (
        <progress
          class="progress"
          aria-label="Progress"
          {...(total === undefined ? {} : { max: total, value: progress })}
        />
      )}
      <p class="muted break">
        {message === undefined ? (progress === undefined ? "Waiting for the result…" : "") : visible(message)}
        {progress !== undefined && total !== undefined && ` ${progress} of ${total}`}
      </p>
    </>
  );
}

function Blocks({ result }: { readonly result: ToolResult }) {
  const blocks = result.content as readonly ShownBlock[];
  if (blocks.length === 0 && result.structuredContent !== undefined)
    return <JsonTree value={result.structuredContent} />;
  if (blocks.length === 0) return <p class="muted">It returned nothing.</p>;
  return (
    <>
      {blocks.map((block, at) => (
        <BlockView key={at} block={block} />
      ))}
    </>
  );
}

/** The result as data: what it says is structured, or its only text if that is JSON. */
function jsonOf({ structuredContent, content }: ToolResult): unknown {
  if (structuredContent !== undefined) return structuredContent;
  const [only] = content;
  if (content.length !== 1 || only?.type !== "text" || !/^\s*[[{]/.test(only.text)) return undefined;
  try {
    return parseJson(only.text);
  } catch {
    return undefined;
  }
}
