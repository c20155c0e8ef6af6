import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { act } from "../../hub/act.ts";
import { hub } from "../../hub/control.ts";
import { useLive } from "../../hub/live.ts";
import { servers } from "../../hub/shared.ts";
import { Loaded } from "../../parts/states.tsx";
import { Button, CopyButton } from "../../parts/button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { plural, visible } from "../../parts/words.tsx";
import { Link, navigate, pathTo } from "../../router/route.tsx";
import { McpStatus, RestartHint, ToolsMark } from "../machine/machine-marks.tsx";
import { ImportServers } from "../servers/import-servers.tsx";
import { Clients } from "../settings/clients.tsx";

/** The first start: the endpoint, servers in, clients on, this computer's tools, what is recorded. Each step can be left out. */
export function WelcomePage() {
  const clients = useLive(() => hub.clients.list(), ["config"]);
  const machine = useLive(() => hub.machine.read(), ["config", "status"]);
  const records = useLive(() => hub.configuration.recorded(), ["config"]);
  const imports = useSignal(false);
  const count = servers.value?.length ?? 0;
  const connected = (clients.value ?? []).filter(({ state }) => state === "installed").length;
  const state = machine.value;
  const isListening = state?.status === "Listening";
  const isDone = count > 0 && connected > 0 && isListening;
  return (
    <div class="welcome stack">
      <div>
        <h2 class="title">Set up Clawport</h2>
        <p class="muted">Five steps, a minute. You can leave any of them out and come back here.</p>
      </div>
      <Step number={1} isDone={isListening} title="MCP endpoint">
        <Loaded from={machine}>
          {({ status, endpoint }) => (
            <>
              <div class="row row-wrap">
                <McpStatus status={status} />
                <code class="break">{visible(endpoint)}</code>
                <CopyButton text={endpoint} what="the endpoint" />
              </div>
              <p class="muted">MCP clients on this computer reach all your servers at this one address.</p>
            </>
          )}
        </Loaded>
      </Step>
      <Step number={2} isDone={count > 0} title="Servers">
        <p class="muted">
          {count > 0
            ? `${plural(count, "server")} configured.`
            : "Take over what your clients have already, or add the first one."}
        </p>
        <div class="row row-wrap">
          <Button local expanded={imports.value} onClick={() => (imports.value = !imports.value)}>
            Import from other clients
          </Button>
          <Link class="button" to={pathTo("servers", "+add")}>
            Add a server
          </Link>
        </div>
        {imports.value && <ImportServers onDone={() => (imports.value = false)} />}
      </Step>
      <Step number={3} isDone={connected > 0} title="Clients">
        <p class="muted">
          Each client on this computer gets one entry, and reaches everything through it. Its file is backed up first.
        </p>
        <Clients onlyHere onChange={clients.reload} />
      </Step>
      <Step number={4} isDone={state?.tools.afterRestart === true} title="This computer">
        <Loaded from={machine}>
          {(now) => (
            <>
              <ToolsMark tools={now.tools} />
              <p class="muted">
                Optional. Lets MCP clients use this computer, too: notifications, the clipboard, the screen, commands.
                Anything delicate asks you first.
              </p>
              {!now.tools.afterRestart && (
                <div>
                  <Button
                    onClick={async () => {
                      const saved = "Saved: the tools of this computer are on.";
                      await act(() => hub.machine.set({ enabled: true }), saved);
                      machine.reload();
                    }}
                  >
                    Offer the tools of this computer
                  </Button>
                </div>
              )}
              <RestartHint state={now} />
            </>
          )}
        </Loaded>
      </Step>
      <Step number={5} isDone={records.value?.afterRestart === true} title="Records">
        <p class="muted">
          Optional. Every call is on record: when, by which client, and what came of it. Arguments are not, since they
          may be private. With them you can see, for example, which file was written; secrets are masked, long values
          cut.
        </p>
        {records.value?.afterRestart === false && (
          <div>
            <Button
              onClick={async () => {
                const saved = "Saved: calls are recorded with their arguments after a restart of the hub.";
                await act(() => hub.configuration.record({ arguments: true }), saved);
                records.reload();
              }}
            >
              Record the arguments, too
            </Button>
          </div>
        )}
        {records.value !== undefined && records.value.now !== records.value.afterRestart && (
          <p class="muted">After a restart of the hub.</p>
        )}
      </Step>
      <div class="row">
        <Button local kind={isDone ? "main" : "quiet"} onClick={() => navigate(pathTo())}>
          {isDone ? "Done" : "Finish later"}
        </Button>
      </div>
    </div>
  );
}

interface StepProps {
  readonly number: number;
  readonly title: string;
  readonly isDone: boolean;
  readonly children: ComponentChildren;
}

function Step({ number, title, isDone, children }: StepProps) {
  return (
    <section class={`welcome-step${isDone ? " done" : ""}`} aria-label={title} data-step={isDone ? "done" : "open"}>
      <span class="welcome-number" aria-hidden="true">
        {isDone ? <Icon name="check" size={14} /> : number}
      </span>
      <div class="stack-small welcome-body">
        <h2>
          {title}
          {isDone && <span class="hidden"> done</span>}
        </h2>
        {children}
      </div>
    </section>
  );
}
