import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { ListedTool } from "../../../../src/hub/control/queries/list-tools.ts";
import { hub } from "../../hub/control.ts";
import { useLive } from "../../hub/live.ts";
import { BackTo, Code, Panel } from "../../parts/blocks.tsx";
import { Empty, FaultBox, Skeleton } from "../../parts/states.tsx";
import { Button, CopyButton } from "../../parts/button.tsx";
import { Hints } from "../../parts/hints.tsx";
import { Segments } from "../../parts/segments.tsx";
import { visible } from "../../parts/words.tsx";
import { Link, pathTo } from "../../router/route.tsx";
import { firstValue } from "../../schema-form/field-kind.ts";
import { JsonInput } from "../../schema-form/json-input.tsx";
import { missingFields, SchemaForm } from "../../schema-form/schema-form.tsx";
import { ResultView } from "./result-view.tsx";
import { createToolRun, type ToolRun } from "./tool-run.ts";
import { act } from "../../hub/act.ts";
import { answerQuestion, type CallQuestion } from "../../hub/call-tool.ts";
import { approvals, status } from "../../hub/shared.ts";
import { isStillWaiting } from "../../hub/still-waiting.ts";
import { isAnswered } from "../approvals/answers.ts";
import { QuestionedCallView } from "../approvals/questioned-call.tsx";

/** One tool: what it does, a form for its arguments, and its result. */
export function ToolDetail({ name }: { readonly name: string }) {
  const found = useLive(async () => (await hub.tools.find({ name })) ?? null, ["tools-changed"], [name]);
  const tool = found.value;
  if (found.fault !== undefined && tool === undefined) return <FaultBox fault={found.fault} onRetry={found.reload} />;
  if (tool === undefined) return <Skeleton />;
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
  const missing = useSignal<readonly string[]>([]);
  const start = (): void => {
    missing.value = asJson.value ? [] : missingFields(tool.inputSchema, args.value, missing.value);
    if (isValid.value && missing.value.length === 0)
      void run.start((args.value ?? {}) as Readonly<Record<string, unknown>>);
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
            const isLine = event.target instanceof HTMLElement && event.target.matches("input, .one-line");
            if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey || (isLine && !event.shiftKey))) return;
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
              <SchemaForm
                schema={tool.inputSchema}
                value={args.value}
                missing={missing.value}
                onChange={(value) => (args.value = value)}
              />
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
          <OwnQuestion run={run} tool={tool.name} />
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

/** A call from here that needs approval is answered here. */
function OwnQuestion({ run, tool }: { readonly run: ToolRun; readonly tool: string }) {
  const waiting = (approvals.value?.waiting ?? []).filter(isStillWaiting);
  const own = waiting.find(({ name, caller, id }) => name === tool && caller.door === "console" && !isAnswered(id));
  if (run.state.value.kind !== "running" || own === undefined) return null;
  return (
    <Panel title="Waiting for your approval">
      <QuestionedCallView key={own.id} call={own} others={waiting} hasKeys onAnswered={() => {}} />
    </Panel>
  );
}

/** What a server asks its user during a call. */
function CallQuestions({ run }: { readonly run: ToolRun }) {
  return (
    <>
      {run.questions.value.map((question) => (
        <Question key={question.id} question={question} onDone={() => run.answered(question.id)} />
      ))}
    </>
  );
}

function Question({ question, onDone }: { readonly question: CallQuestion; onDone(): void }) {
  const { message = "The server asks you something.", requestedSchema } = question.params;
  const content = useSignal<unknown>({});
  const answer = async (body: object): Promise<void> => {
    if (await act(() => answerQuestion(question.id, body))) onDone();
  };
  return (
    <Panel title="The server asks">
      <p class="pre break">{visible(message)}</p>
      {requestedSchema !== undefined && (
        <SchemaForm
          schema={requestedSchema}
          value={content.value}
          onChange={(value) => (content.value = value ?? {})}
        />
      )}
      <div class="row row-wrap">
        <Button kind="main" onClick={() => answer({ action: "accept", content: content.value })}>
          Answer
        </Button>
        <Button onClick={() => answer({ action: "decline" })}>Decline</Button>
      </div>
    </Panel>
  );
}

/** The same call for a terminal, a script or an MCP client. */
function CopyAs({ tool, args }: { readonly tool: string; readonly args: unknown }) {
  const address = status.value?.address ?? "http://127.0.0.1:8765";
  return (
    <span class="row row-wrap copy-as">
      <span class="small muted">Copy as</span>
      <CopyButton plain text={asCurl(address, tool, args)} what="a curl command" label="curl" />
      <CopyButton plain text={asCommand(tool, args)} what="a command" label="command" />
      <CopyButton plain text={JSON.stringify(messageOf(tool, args), undefined, 2)} what="an MCP message" label="MCP" />
    </span>
  );
}

/** The token stays in its file. */
function asCurl(address: string, tool: string, args: unknown): string {
  return [
    `curl -s ${quoted(`${address}/mcp`)}`,
    `-H ${quoted("content-type: application/json")}`,
    `-H ${quoted("accept: application/json, text/event-stream")}`,
    '-H "authorization: Bearer $(clawport token show)"',
    `-d ${quoted(JSON.stringify(messageOf(tool, args)))}`,
  ].join(" \\\n  ");
}

function asCommand(tool: string, args: unknown): string {
  return `clawport call ${quoted(tool)} ${quoted(JSON.stringify(args))}`;
}

function messageOf(tool: string, args: unknown): object {
  return { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: tool, arguments: args } };
}

/** One word for a POSIX shell, whatever is in it. */
function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
