import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { ApprovalAnswer } from "../../../../src/catalog/advice.ts";
import type { ApprovalsList } from "../../../../src/hub/control/approvals.ts";
import { mayChange } from "../../hub/events.ts";
import { Button } from "../../parts/button.tsx";
import { useKey } from "../../parts/use-key.ts";
import { isNarrow } from "../../parts/narrow.ts";
import { Empty } from "../../parts/states.tsx";
import { plural } from "../../parts/words.tsx";
import { Link, navigate, pathTo } from "../../router/route.tsx";
import { answerCalls, answerWords, heldBack, heldMs, isAnswered, isRead, undo } from "./answers.ts";
import { ChangedDefinition } from "./changed-definition.tsx";
import { groupsOf, neighbourOf, type Thing } from "./inbox.ts";
import { InboxList, listedKeys } from "./inbox-list.tsx";
import { QuestionedCallView } from "./questioned-call.tsx";
import { useRejected } from "./remembered-answers.tsx";

/** What waits, as an inbox: grouped by who asks and for what, cleared by keyboard. */
export function Inbox({ list, rest }: { readonly list: ApprovalsList; readonly rest: readonly string[] }) {
  const words = useSignal("");
  const opened = useSignal<ReadonlySet<string>>(new Set());
  const selected = useSignal<ReadonlySet<string>>(new Set());
  const rejected = useRejected().value;
  const groups = groupsOf(
    { ...list, waiting: list.waiting.filter(isOpenHere), refused: list.refused.filter(isOpenHere) },
    words.value,
  );
  const keys = listedKeys(groups, opened.value);
  const things = new Map(groups.flatMap((group) => group.things.map((thing) => [thing.key, thing])));
  const chosen = chosenOf(rest, keys, things);
  const calls = [...selected.value].flatMap((key) => callOf(things.get(key)));
  // What is gone is selected no longer.
  useEffect(() => {
    const left = [...selected.value].filter((key) => things.has(key));
    if (left.length < selected.value.size) selected.value = new Set(left);
  });

  const go = (key: string | undefined): void =>
    navigate(key === undefined ? pathTo("approvals") : pathTo("approvals", ...key.split("/")), { replace: true });
  const step = (by: number): void => {
    const at = chosen === undefined ? -1 : keys.indexOf(chosen.key);
    const next = keys[Math.max(0, Math.min(keys.length - 1, at + by))];
    if (next !== undefined) go(next);
  };
  /** The place of what was answered is taken by its neighbour. */
  const leave = (gone: readonly string[]): void => {
    if (chosen === undefined || !gone.includes(chosen.key)) return;
    go(isNarrow.value ? undefined : neighbourOf(keys, new Set(gone), chosen.key));
  };
  const answerSelected = (choice: ApprovalAnswer): void => {
    const isYes = choice === "once";
    const taken = isYes ? calls.filter(isRead) : calls;
    if (taken.length === 0) return;
    answerCalls(taken, choice);
    selected.value = new Set(calls.filter((call) => !taken.includes(call)).map(({ id }) => id));
    leave(taken.map(({ id }) => id));
  };
  const hasSelection = calls.length > 0;
  useKey("j", () => step(1));
  useKey("k", () => step(-1));
  useKey("x", () => {
    if (chosen?.kind === "call") selected.value = selected.value.symmetricDifference(new Set([chosen.key]));
  });
  useKey("z", undo);
  useKey("Escape", () => (selected.value = new Set()), hasSelection);
  useKey("o", () => answerSelected("once"), hasSelection && mayChange.value);
  useKey("n", () => answerSelected("no"), hasSelection && mayChange.value);

  if (list.waiting.length + list.refused.length + list.changed.length === 0 && rest.length === 0)
    return (
      <>
        <NothingWaits />
        <HeldBar />
      </>
    );
  const named = rest[0] === "changed" ? rejected?.find(({ name }) => name === rest[1]) : undefined;
  return (
    <div class={`split inbox${rest.length === 0 ? "" : " has-detail"}`}>
      <InboxList groups={groups} words={words} chosen={chosen?.key} selected={selected} opened={opened} />
      <div class="detail">
        {hasSelection && (
          <div class="panel panel-body stack-small selection" role="group" aria-label="Answer what is selected">
            <p>
              {plural(calls.length, "call")} selected, of which you have seen {calls.filter(isRead).length} whole. Only
              those can be allowed; all can be refused.
            </p>
            <div class="row row-wrap">
              <Button kind="main" hotkey="o" disabled={!calls.some(isRead)} onClick={() => answerSelected("once")}>
                {`Allow ${calls.filter(isRead).length} once`}
              </Button>
              <Button hotkey="n" onClick={() => answerSelected("no")}>
                {`Not now: refuse ${calls.length}`}
              </Button>
              <Button local kind="quiet" onClick={() => (selected.value = new Set())}>
                Clear the selection
              </Button>
            </div>
          </div>
        )}
        {chosen === undefined && named !== undefined && <ChangedDefinition key={named.name} held={named} />}
        {chosen === undefined && named === undefined && rest.length > 0 && (
          <Empty title="This no longer waits">
            <p class="muted">It was answered, or its time ran out.</p>
            <Link class="button" to={pathTo("approvals")}>
              What waits now
            </Link>
          </Empty>
        )}
        {chosen?.kind === "call" && (
          <QuestionedCallView
            key={chosen.call.id}
            call={chosen.call}
            others={list.waiting}
            hasKeys={!hasSelection}
            onAnswered={() => leave([chosen.key])}
          />
        )}
        {chosen?.kind === "definition" && <ChangedDefinition key={chosen.held.name} held={chosen.held} />}
      </div>
      <HeldBar />
    </div>
  );
}

const isOpenHere = ({ id }: { readonly id: string }): boolean => !isAnswered(id);
const callOf = (thing: Thing | undefined) => (thing?.kind === "call" ? [thing.call] : []);

function chosenOf(
  rest: readonly string[],
  keys: readonly string[],
  things: ReadonlyMap<string, Thing>,
): Thing | undefined {
  const exact = things.get(rest.join("/"));
  if (exact !== undefined) return exact;
  // The overview names a server, whichever of its definitions changed.
  if (rest[0] === "changed")
    return [...things.values()].find((thing) => thing.kind === "definition" && thing.held.source === rest[1]);
  // What a key answers must be in view.
  return rest.length === 0 && !isNarrow.value ? things.get(keys[0] ?? "") : undefined;
}

function NothingWaits() {
  return (
    <Empty title="Nothing waits for you">
      <p class="muted">
        Calls wait here when a rule or the preset says so, and tools when their server changed them. The client waits
        meanwhile, and goes on when you answer.
      </p>
      <Link class="button" to={pathTo("approvals", "rules")}>
        See the rules
      </Link>
    </Empty>
  );
}

/** Denials that can still be taken back. */
function HeldBar() {
  const last = heldBack.value.at(-1);
  if (last === undefined) return null;
  const count = heldBack.value.filter(({ choice }) => choice === last.choice).length;
  return (
    <div class="held-bar" role="status" data-held={count}>
      <span class="grow">
        {answerWords[last.choice]}: {count === 1 ? last.call.name : plural(count, "call")}. Sent in {heldMs / 1000} s.
      </span>
      <Button local hotkey="z" onClick={undo}>
        Undo
      </Button>
    </div>
  );
}
