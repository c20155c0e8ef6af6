import { type Signal, useSignal } from "@preact/signals";
import type { WaitingCall } from "../../../../src/catalog/guard/approvals-file.ts";
import type { HeldDefinition } from "../../../../src/catalog/guard/held-definition.ts";
import { Button } from "../../parts/button.tsx";
import { SearchBox } from "../../parts/search-box.tsx";
import { Shape } from "../../parts/state-mark.tsx";
import { VirtualList } from "../../parts/virtual-list.tsx";
import { Ago, now, plural, visible } from "../../parts/words.tsx";
import { Link, pathTo } from "../../router/route.tsx";
import { given, isAnswered, isRead } from "./answers.ts";
import { heldWords } from "./changed-definition.tsx";
import { callerWords, type Group, keyArgument, type Thing, timeLeft } from "./inbox.ts";

type Row =
  | { readonly kind: "group"; readonly group: Group }
  | { readonly kind: "thing"; readonly thing: Thing; readonly group: Group }
  | { readonly kind: "more"; readonly group: Group; readonly rest: number };

/** A caller that asks for hundreds of things does not bury the others: the rest is counted, and shown on demand. */
const shareOfGroup = 40;

interface InboxListProps {
  readonly groups: readonly Group[];
  readonly words: Signal<string>;
  readonly chosen: string | undefined;
  readonly selected: Signal<ReadonlySet<string>>;
  /** Groups of which everything is listed. */
  readonly opened: Signal<ReadonlySet<string>>;
}

/** Everything that waits, grouped, as one list of any length. */
export function InboxList({ groups, words, chosen, selected, opened }: InboxListProps) {
  const rows = rowsOf(groups, opened.value);
  const at = rows.findIndex((row) => row.kind === "thing" && row.thing.key === chosen);
  const waiting = groups.filter(({ kind }) => kind === "waiting").reduce((sum, { things }) => sum + things.length, 0);
  return (
    <div class="list-side">
      <div class="list-head">
        <SearchBox label="Search what waits" value={words.value} onInput={(value) => (words.value = value)} />
      </div>
      {rows.length === 0 ? (
        <p class="panel-body muted grow">Nothing matches.</p>
      ) : (
        <VirtualList
          label="What waits"
          count={rows.length}
          rowHeight={46}
          current={at}
          keyOf={(each) => keyOf(rows[each])}
          row={(each) => rows[each] && <RowView row={rows[each]} chosen={chosen} selected={selected} opened={opened} />}
        />
      )}
      <div class="list-foot" role="status">
        {waiting === 0 ? "Nothing waits for you." : `${plural(waiting, "call")} waiting`}
        {selected.value.size > 0 && `, ${selected.value.size} selected`}
      </div>
    </div>
  );
}

function rowsOf(groups: readonly Group[], opened: ReadonlySet<string>): readonly Row[] {
  return groups.flatMap((group): readonly Row[] => {
    const shown = opened.has(group.id) ? group.things : group.things.slice(0, shareOfGroup);
    const rest = group.things.length - shown.length;
    return [
      { kind: "group", group },
      ...shown.map((thing): Row => ({ kind: "thing", thing, group })),
      ...(rest > 0 ? [{ kind: "more", group, rest } as const] : []),
    ];
  });
}

/** The keys of what is listed, in its order. */
export function listedKeys(groups: readonly Group[], opened: ReadonlySet<string>): readonly string[] {
  return rowsOf(groups, opened).flatMap((row) => (row.kind === "thing" ? row.thing.key : []));
}

function keyOf(row: Row | undefined): string {
  if (row === undefined) return "";
  return row.kind === "thing" ? row.thing.key : `${row.kind} ${row.group.id}`;
}

interface RowViewProps extends Pick<InboxListProps, "chosen" | "selected" | "opened"> {
  readonly row: Row;
}

function RowView({ row, chosen, selected, opened }: RowViewProps) {
  if (row.kind === "group") return <GroupHead group={row.group} selected={selected} />;
  if (row.kind === "more")
    return (
      <div class="item">
        <Button local kind="quiet" onClick={() => (opened.value = new Set([...opened.value, row.group.id]))}>
          {`${row.rest} more`}
        </Button>
      </div>
    );
  return <ThingRow thing={row.thing} isChosen={row.thing.key === chosen} selected={selected} />;
}

function GroupHead({ group, selected }: { readonly group: Group } & Pick<InboxListProps, "selected">) {
  const keys = group.things.map(({ key }) => key);
  const isAll = keys.every((key) => selected.value.has(key));
  return (
    <div class="item group-head">
      <h2 class="grow clip" title={visible(group.title)}>
        {visible(group.title)} <span class="muted num">· {group.things.length}</span>
      </h2>
      {group.ends !== undefined && (
        <span class="small muted num" title="When the first of them ends">
          {timeLeft(group.ends, now.value)}
        </span>
      )}
      {group.kind !== "changed" && group.things.length > 1 && (
        <Button
          local
          kind="quiet"
          label={`${isAll ? "Unselect" : "Select"} all of ${visible(group.title)}`}
          onClick={() =>
            (selected.value = isAll ? selected.value.difference(new Set(keys)) : selected.value.union(new Set(keys)))
          }
        >
          {isAll ? "None" : "All"}
        </Button>
      )}
    </div>
  );
}

interface ThingRowProps extends Pick<InboxListProps, "selected"> {
  readonly thing: Thing;
  readonly isChosen: boolean;
}

function ThingRow({ thing, isChosen, selected }: ThingRowProps) {
  const isSelected = useSignal(false);
  isSelected.value = selected.value.has(thing.key);
  return (
    <div class={`inbox-row${isSelected.value ? " selected" : ""}`}>
      {thing.kind === "call" && (
        <input
          type="checkbox"
          aria-label={`Select ${visible(keyArgument(thing.call))}`}
          checked={isSelected.value}
          onChange={() => (selected.value = selected.value.symmetricDifference(new Set([thing.key])))}
        />
      )}
      <Link class="item grow" to={pathTo("approvals", ...thing.key.split("/"))} aria-current={isChosen}>
        {thing.kind === "call" ? <CallItem call={thing.call} /> : <DefinitionItem held={thing.held} />}
      </Link>
    </div>
  );
}

function CallItem({ call }: { readonly call: WaitingCall }) {
  const until = Date.parse(call.openUntil ?? "");
  const isOpen = until > now.value;
  const answer = given.value.get(call.id);
  return (
    <>
      <Shape tone={isOpen ? "warn" : "off"} />
      <span class="two">
        <span class="name clip">{visible(keyArgument(call))}</span>
        {!isOpen && <span class="small muted clip">{visible(`${call.name} · ${callerWords(call)}`)}</span>}
        {answer !== undefined && typeof answer.state !== "string" && (
          <span class="small bad clip">{visible(answer.state.message)}</span>
        )}
      </span>
      {isRead(call) && !isAnswered(call.id) && <span class="small muted">seen</span>}
      <span class="small muted num">
        {isOpen ? <span title="Time left">{timeLeft(until, now.value)}</span> : <Ago at={call.at} />}
      </span>
    </>
  );
}

function DefinitionItem({ held }: { readonly held: HeldDefinition }) {
  return (
    <>
      <Shape tone="warn" />
      <span class="two">
        <span class="name clip">{visible(held.name)}</span>
        <span class="small muted clip">{heldWords(held)}</span>
      </span>
      <span class="small muted">
        <Ago at={held.since} />
      </span>
    </>
  );
}
