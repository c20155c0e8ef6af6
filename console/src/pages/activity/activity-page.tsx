import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { FoundCall } from "../../../../src/hub/control/queries/search-audit.ts";
import { isRefusal, ranMs } from "../../../../src/catalog/audit/call-words.ts";
import { callerName } from "../../../../src/catalog/caller.ts";
import { Empty, FaultBox, Skeleton } from "../../parts/states.tsx";
import { FilterSelect } from "../../parts/filter-select.tsx";
import { SearchBox } from "../../parts/search-box.tsx";
import { outcomeWords, Shape } from "../../parts/state-mark.tsx";
import { VirtualList } from "../../parts/virtual-list.tsx";
import { Ago, countText, durationText, Name, plural, visible } from "../../parts/words.tsx";
import { Link, pathTo, query, setQuery } from "../../router/route.tsx";
import type { PageProps } from "../page-table.ts";
import { CallDetailView } from "./call-detail.tsx";
import { createCallList, type CallList } from "./call-list.ts";

/** What happened? The audit, live. */
export function ActivityPage({ rest: [chosen] }: PageProps) {
  const list = useMemo(createCallList, []);
  useEffect(() => () => list.stop(), [list]);
  return (
    <div class={`split split-wide${chosen === undefined ? " split-alone" : " has-detail"}`}>
      <Calls list={list} chosen={chosen} />
      {chosen !== undefined && (
        <div class="detail">
          <CallDetailView key={chosen} id={chosen} />
        </div>
      )}
    </div>
  );
}

const typingMs = 200;
const outcomes = [
  "ok",
  "tool-error",
  "denied",
  "unanswered",
  "cancelled",
  "timeout",
  "unavailable",
  "rate-limited",
  "unfinished",
];

function Calls({ list, chosen }: { readonly list: CallList; readonly chosen: string | undefined }) {
  const words = useSignal(query.value.get("q") ?? "");
  const tool = query.value.get("tool") ?? "";
  const caller = query.value.get("caller") ?? "";
  const outcome = query.value.get("outcome") ?? "";
  useEffect(() => {
    const timer = setTimeout(
      () => {
        setQuery({ q: words.value });
        list.filter({
          ...(words.value && { text: words.value }),
          ...(tool && { tool }),
          ...(caller && { caller }),
          ...(outcome && { outcome }),
        });
      },
      list.state.value.isKnown ? typingMs : 0,
    );
    return () => clearTimeout(timer);
  }, [words.value, tool, caller, outcome]);

  const { lines, fresh, isKnown, searched, isComplete } = list.state.value;
  const isFiltered = words.value !== "" || tool !== "" || caller !== "" || outcome !== "";
  const suffix = location.search;
  return (
    <div class="list-side">
      <div class="list-head">
        <SearchBox label="Search the audit" value={words.value} onInput={(value) => (words.value = value)} />
        <FilterSelect label="Outcome" name="outcome" value={outcome} choices={outcomes} />
        {tool !== "" && <FilterTag name="tool" value={tool} />}
        {caller !== "" && <FilterTag name="caller" value={caller} />}
      </div>
      {list.fault.value !== undefined && <FaultBox fault={list.fault.value} onRetry={list.retry} />}
      {fresh.length > 0 && (
        <button type="button" class="fresh" onClick={list.showFresh}>
          {`${countText(fresh.length)} new`}
          <span class="hidden"> calls: show them</span>
        </button>
      )}
      {!isKnown && list.fault.value === undefined ? (
        <Skeleton rows={8} />
      ) : isKnown && lines.length === 0 ? (
        <Empty title={isFiltered ? "No call matches" : "No calls yet"}>
          <p class="muted">
            {isFiltered
              ? `${countText(searched)} lines were searched.`
              : "Every call that a client makes appears here, with who made it and why it was allowed."}
          </p>
          {!isFiltered && (
            <Link class="button" to={pathTo("tools")}>
              Run a tool
            </Link>
          )}
        </Empty>
      ) : (
        <VirtualList
          label="Calls"
          onReading={list.setReading}
          count={lines.length}
          rowHeight={40}
          keyOf={(at) => lines[at]?.id ?? String(at)}
          onRange={(_, to) => list.need(to)}
          row={(at) => lines[at] && <CallItem line={lines[at]} suffix={suffix} isChosen={lines[at].id === chosen} />}
        />
      )}
      <div class="list-foot">
        {isKnown &&
          (isComplete ? plural(lines.length, "call") : `the latest ${plural(lines.length, "call")}; scroll for more`)}
        {isKnown && isFiltered && `, from ${countText(searched)} lines`}
      </div>
    </div>
  );
}

function FilterTag({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <button
      type="button"
      class="button"
      onClick={() => setQuery({ [name]: undefined })}
      aria-label={`Remove the filter ${name} ${value}`}
    >
      <span class="muted">{name}</span> {visible(value).slice(0, 60)} ✕
    </button>
  );
}

function CallItem({
  line,
  suffix,
  isChosen,
}: {
  readonly line: FoundCall;
  readonly suffix: string;
  readonly isChosen: boolean;
}) {
  const { tone, word } = outcomeWords(line.outcome);
  return (
    <Link class="item call" to={`${pathTo("activity", line.id)}${suffix}`} aria-current={isChosen}>
      <Shape tone={tone} />
      <span class="call-tool">
        <Name name={line.tool} />
      </span>
      <span class="small muted clip call-caller">{visible(callerName(line))}</span>
      <span class={`small call-outcome ${tone === "ok" ? "muted" : tone === "bad" ? "bad" : "warn"}`}>{word}</span>
      <span class="small muted num call-ms">{isRefusal(line.outcome) ? "" : durationText(ranMs(line))}</span>
      <span class="small muted call-when">
        <Ago at={line.time} />
      </span>
    </Link>
  );
}
