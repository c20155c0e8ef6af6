import { useSignal } from "@preact/signals";
import { act } from "../../hub/act.ts";
import { hub } from "../../hub/control.ts";
import { useLive } from "../../hub/live.ts";
import { Panel } from "../../parts/blocks.tsx";
import { FaultBox } from "../../parts/states.tsx";
import { Button, Confirmed, CopyButton } from "../../parts/button.tsx";
import { Ago, visible } from "../../parts/words.tsx";

/** The main token, masked, and the named tokens of single clients. */
export function TokenPanel() {
  const machine = useLive(() => hub.machine.read(), ["config", "tokens"]);
  const revealed = useSignal<string | undefined>(undefined);
  async function reveal(): Promise<void> {
    await act(async () => {
      revealed.value = (await hub.machine.revealToken()).token;
    });
  }
  return (
    <Panel title="Tokens" bare>
      {machine.fault !== undefined && <FaultBox fault={machine.fault} onRetry={machine.reload} />}
      <div class="lines">
        <div>
          <span class="grow">
            <span class="block">Main token</span>
            <code class="break" data-token="">
              {revealed.value ?? machine.value?.maskedToken}
            </code>
            <span class="small muted block break">{visible(machine.value?.tokenPath ?? "")}</span>
          </span>
          {revealed.value === undefined ? (
            <Button onClick={reveal}>Reveal</Button>
          ) : (
            <Button local onClick={() => (revealed.value = undefined)}>
              Hide
            </Button>
          )}
          <CopyButton
            remote
            text={async () => (await hub.machine.revealToken()).token}
            what="the main token"
            label="Copy"
          />
          <Confirmed
            label="Reset…"
            question="Make a new token? Clients that have the old one are refused, and other open consoles are signed out."
            yes="Reset the token"
            onYes={async () => {
              revealed.value = undefined;
              await act(() => hub.tokens.reset(), "There is a new main token.");
              machine.reload();
            }}
          />
        </div>
      </div>
      <NamedTokens />
    </Panel>
  );
}

/** Tokens for one client each, which can be removed alone. */
function NamedTokens() {
  const tokens = useLive(() => hub.tokens.list(), ["config", "tokens"]);
  const name = useSignal("");
  const views = useSignal("");
  const added = useSignal<{ readonly name: string; readonly token: string } | undefined>(undefined);
  const named = (tokens.value ?? []).filter(({ created }) => created !== null);

  async function add(): Promise<void> {
    const sources = views.value.split(/[\s,]+/).filter(Boolean);
    await act(async () => {
      added.value = await hub.tokens.add({
        name: name.value.trim(),
        views: sources.length === 0 ? undefined : sources,
        metrics: false,
      });
      name.value = "";
      views.value = "";
    });
    tokens.reload();
  }
  return (
    <div class="lines lines-more">
      {tokens.fault !== undefined && <FaultBox fault={tokens.fault} onRetry={tokens.reload} />}
      {named.map((token) => (
        <div key={token.name}>
          <span class="grow">
            <span class="mono">{visible(token.name)}</span>
            <span class="small muted block">
              {token.metrics
                ? "metrics only"
                : token.view === null
                  ? "everything"
                  : `only ${visible([token.view].flat().join(", "))}`}
              , made <Ago at={token.created} />
            </span>
          </span>
          <Confirmed
            label="Remove…"
            question={`Remove the token ${token.name}? Clients that use it are refused.`}
            yes={`Remove ${token.name}`}
            onYes={async () => {
              await act(() => hub.tokens.remove({ name: token.name }), `The token ${token.name} is removed.`);
              tokens.reload();
            }}
          />
        </div>
      ))}
      {added.value !== undefined && (
        <div>
          <span class="grow">
            The token <b>{visible(added.value.name)}</b>, shown this once:
            <code class="block break">{added.value.token}</code>
          </span>
          <CopyButton text={added.value.token} what="the token" label="Copy" />
        </div>
      )}
      <form
        class="row row-wrap token-form"
        onSubmit={(event) => {
          event.preventDefault();
          void add();
        }}
      >
        <input
          class="input"
          aria-label="Name of a new token"
          placeholder="a token for one client, such as laptop"
          value={name.value}
          onInput={(event) => (name.value = event.currentTarget.value)}
        />
        <input
          class="input"
          aria-label="Sources it may use"
          placeholder="all sources, or some: files notes"
          value={views.value}
          onInput={(event) => (views.value = event.currentTarget.value)}
        />
        <Button disabled={name.value.trim() === ""} onClick={add}>
          Add token
        </Button>
      </form>
    </div>
  );
}
