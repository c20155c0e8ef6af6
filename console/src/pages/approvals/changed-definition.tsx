import { useSignal } from "@preact/signals";
import type { HeldDefinition } from "../../../../src/catalog/guard/held-definition.ts";
import { act } from "../../hub/act.ts";
import { hub } from "../../hub/control.ts";
import { approvals } from "../../hub/shared.ts";
import { BackTo } from "../../parts/blocks.tsx";
import { Button } from "../../parts/button.tsx";
import { useKey } from "../../parts/use-key.ts";
import { UnreadNote, WholeText } from "../../parts/whole-text.tsx";
import { Ago, visible } from "../../parts/words.tsx";
import { Link, navigate, pathTo } from "../../router/route.tsx";

export function heldWords({ kind, source, state }: HeldDefinition): string {
  const what = kind === "instructions" ? "its instructions" : `this ${kind}`;
  if (state === "flagged") return `${visible(source)} has something in ${what} that screening found`;
  const verb = state === "new" ? "added" : state === "withdrawn" ? "changed back" : "changed";
  return `${visible(source)} ${verb} ${what}`;
}

/** What a server changed since it was first seen, and what clients get until it is approved. */
export function ChangedDefinition({ held }: { readonly held: HeldDefinition }) {
  const isRead = useSignal(false);
  const mayAccept = isRead.value && held.isWhole;
  async function accept(): Promise<void> {
    if (!mayAccept) return;
    const isDone = await act(
      () => hub.approvals.accept({ name: held.name, confirmed: true, seen: [held.hash] }),
      `${held.name} is accepted as it is now.`,
    );
    approvals.reload();
    if (isDone) navigate(pathTo("approvals"));
  }
  async function reject(): Promise<void> {
    const isDone = await act(
      () => hub.approvals.reject({ name: held.name, seen: [held.hash] }),
      `${held.name} is rejected. It stays blocked until ${held.source} changes it again.`,
    );
    approvals.reload();
    if (isDone) navigate(pathTo("approvals"));
  }
  const isRejected = held.state === "refused";
  useKey("a", () => void accept());
  useKey("v", () => void reject(), !isRejected);
  return (
    <div class="stack">
      <div>
        <BackTo to={pathTo("approvals")}>Approvals</BackTo>
        <h2 class="title mono break">{visible(held.name)}</h2>
        <p>
          {isRejected ? (
            `You rejected ${held.kind === "instructions" ? "the instructions" : `this ${held.kind}`} as ${visible(held.source)} has it now.`
          ) : (
            <>
              <Link to={pathTo("servers", held.source)}>{visible(held.source)}</Link>
              {heldWords(held).slice(visible(held.source).length)} <Ago at={held.since} />.
            </>
          )}
        </p>
        <p class="muted">{shownWords(held)}</p>
      </div>
      <WholeText text={held.diff} label="What changed" isRead={isRead} isDiff />
      <div class="row row-wrap">
        <Button kind="main" hotkey="a" disabled={!mayAccept} onClick={accept}>
          Accept the change
        </Button>
        {!isRejected && (
          <Button kind="bad" hotkey="v" onClick={reject}>
            Reject
          </Button>
        )}
        <span class="muted small">Read it as a model would: a description is an instruction.</span>
      </div>
      {held.isWhole ? (
        <UnreadNote isRead={isRead} />
      ) : (
        <p class="muted">It can't be shown in full, so it can't be accepted here.</p>
      )}
    </div>
  );
}

function shownWords({ shown, state }: HeldDefinition): string {
  if (state === "refused") return "Calls are refused until the server changes it again, or you accept it.";
  switch (shown as string) {
    case "pinned":
      return "Until you accept it, clients get the previous definition, and calls need approval.";
    case "withheld":
      return "Until you accept it, clients see it without its words, and calls need approval.";
    case "listed":
    case "offered":
      return "Clients see it, but using it needs approval.";
    default:
      return "Until you accept it, clients don't see it.";
  }
}
