import { useSignal } from "@preact/signals";
import type { UsageReport } from "../../../../src/catalog/usage/usage-report.ts";
import { Empty } from "../../parts/states.tsx";
import { isSmall } from "../../parts/narrow.ts";
import { FilterSelect } from "../../parts/filter-select.tsx";
import { SearchBox } from "../../parts/search-box.tsx";
import { VirtualList } from "../../parts/virtual-list.tsx";
import { plural } from "../../parts/words.tsx";
import { query, setQuery } from "../../router/route.tsx";
import { talliesOf, type TallyKind, TallyRow } from "./tally-row.tsx";
import { measures, periodWords, sourceWords } from "./usage-words.ts";

interface TallyListProps {
  readonly kind: TallyKind;
  readonly report: UsageReport;
  readonly days: number;
}

const nouns: Readonly<Record<TallyKind, string>> = { servers: "server", tools: "tool", callers: "caller" };

/** All that was used, the most used first unless sorted otherwise. */
export function TallyList({ kind, report, days }: TallyListProps) {
  const words = useSignal(query.value.get("q") ?? "");
  const source = kind === "tools" ? (query.value.get("source") ?? "") : "";
  const sort = measures.find(({ id }) => id === query.value.get("sort")) ?? measures[0];
  const wanted = words.value.toLowerCase();
  const all = talliesOf(report, kind, days);
  const found = all
    .filter((row) => row.name.toLowerCase().includes(wanted) && (source === "" || row.source === source))
    .toSorted((a, b) => sort.of(b) - sort.of(a));
  const most = Math.max(1, ...found.slice(0, 1).map(sort.of));
  const noun = nouns[kind];
  return (
    <div class="list-side">
      <div class="list-head">
        <SearchBox
          label={`Search ${kind}`}
          value={words.value}
          onInput={(value) => {
            words.value = value;
            setQuery({ q: value });
          }}
        />
        {kind === "tools" && (
          <FilterSelect
            label="Source"
            name="source"
            value={source}
            choices={report.servers.map(({ server }) => server)}
            wordsOf={sourceWords}
          />
        )}
      </div>
      {found.length === 0 ? (
        <Empty title={all.length === 0 ? "No calls" : `No ${noun} matches`}>
          <p class="muted">
            {all.length === 0 ? `Nothing was called ${inPeriod(days)}.` : "Only what was called is listed here."}
          </p>
        </Empty>
      ) : (
        <>
          <div class="tally tally-head" role="group" aria-label="Sort by">
            <span class="small muted name">{noun.replace(/^./, (first) => first.toUpperCase())}</span>
            <span class="tally-figures">
              {measures.map(({ id, title }) => (
                <button
                  key={id}
                  type="button"
                  class="sort"
                  aria-pressed={id === sort.id}
                  title={id === "in" || id === "out" ? `${title}, estimated` : undefined}
                  onClick={() => setQuery({ sort: id })}
                >
                  {title}
                  {id === sort.id && <span aria-hidden="true"> ↓</span>}
                </button>
              ))}
            </span>
          </div>
          <VirtualList
            label={`Usage by ${noun}`}
            count={found.length}
            rowHeight={isSmall.value ? 56 : 40}
            keyOf={(at) => found[at]?.id ?? String(at)}
            row={(at) => found[at] && <TallyRow row={found[at]} share={sort.of(found[at]) / most} />}
          />
        </>
      )}
      <div class="list-foot" role="status">
        {found.length === all.length ? plural(all.length, noun) : `${found.length} of ${plural(all.length, noun)}`}.
        Tokens are estimated.
      </div>
    </div>
  );
}

function inPeriod(days: number): string {
  return days === 1 ? "today" : `in ${periodWords(days)}`;
}
