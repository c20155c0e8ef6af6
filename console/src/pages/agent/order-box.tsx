import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { Panel } from "../../parts/blocks.tsx";
import { FaultBox } from "../../parts/states.tsx";
import { Button } from "../../parts/button.tsx";
import { StateMark } from "../../parts/state-mark.tsx";
import { durationText, visible } from "../../parts/words.tsx";
import { BlockView } from "../tools/block-view.tsx";
import type { ShownBlock } from "../../hub/call-tool.ts";
import { createToolRun } from "../tools/tool-run.ts";

/** Sends an order and shows what comes of it while it comes. */
export function OrderBox({ sessionKey }: { readonly sessionKey: string }) {
  const message = useSignal("");
  const run = useMemo(() => createToolRun("order_openclaw"), [sessionKey]);
  useEffect(() => () => run.cancel(), [run]);
  const sent = useSignal("");
  const parts = useSignal<readonly string[]>([]);
  const state = run.state.value;

  useEffect(() => {
    if (state.kind === "running" && state.progress?.message !== undefined)
      parts.value = [...parts.value.slice(-400), state.progress.message];
  }, [state]);

  const send = (): void => {
    const text = message.value.trim();
    if (text === "" || state.kind === "running") return;
    sent.value = text;
    parts.value = [];
    message.value = "";
    void run.start({ message: text, sessionKey });
  };
  return (
    <Panel title="New order" aside={<span class="small muted mono clip">{visible(sessionKey)}</span>}>
      {sent.value !== "" && (
        <div class="chat" aria-live="polite">
          <p class="said said-user">{visible(sent.value)}</p>
          {state.kind === "running" && (
            <div class="said">
              <StateMark tone="busy">working</StateMark>
              {parts.value.map((part, at) => (
                <p key={at}>{visible(part)}</p>
              ))}
            </div>
          )}
          {state.kind === "done" && (
            <div class="stack-small" data-answer="">
              {(state.result.content as readonly ShownBlock[]).map((block, at) =>
                block.type === "text" ? (
                  <p
                    key={at}
                    class={`said${state.result.isError === true ? " bad" : ""}${isAligned(block.text) ? " mono" : ""}`}
                  >
                    {visible(block.text)}
                  </p>
                ) : (
                  <BlockView key={at} block={block} />
                ),
              )}
              <p class="small muted">{durationText(state.ms)}</p>
            </div>
          )}
          {state.kind === "failed" && <FaultBox fault={state.fault} />}
        </div>
      )}
      <form
        class="stack-small"
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        <textarea
          class="area order"
          rows={3}
          aria-label="The order"
          placeholder="What should the agent do?"
          value={message.value}
          onInput={(event) => (message.value = event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.shiftKey) return;
            event.preventDefault();
            send();
          }}
        />
        <div class="row">
          {state.kind === "running" ? (
            <Button onClick={run.cancel}>Cancel</Button>
          ) : (
            <Button kind="main" hotkey="⏎" disabled={message.value.trim() === ""} onClick={send}>
              Send
            </Button>
          )}
        </div>
      </form>
    </Panel>
  );
}

/** Whether columns were lined up with spaces. */
function isAligned(text: string): boolean {
  return /\S {3,}\S|^ {4,}/m.test(text);
}
