import { useSignal } from "@preact/signals";
import type { KnownTool, UsageReport } from "../../../../src/catalog/usage/usage-report.ts";
import { servers } from "../../hub/shared.ts";
import { Empty } from "../../parts/states.tsx";
import { FilterSelect } from "../../parts/filter-select.tsx";
import { SearchBox } from "../../parts/search-box.tsx";
import { VirtualList } from "../../parts/virtual-list.tsx";
import { countText, plural, shortCount, visible } from "../../parts/words.tsx";
import { Link, pathTo, query, setQuery } from "../../router/route.tsx";
import { unusedSources } from "./unused-sources.ts";
import { periodWords, sourceWords } from "./usage-words.ts";

/** The tools that no one called, the most expensive first, each with the way to hide it. */
export function UnusedList({ report, days }: { readonly report: UsageReport; readonly days: number }) {
  const words = useSignal(query.value.get("q") ?? "");
  const source = query.value.get("source") ?? "";
  const wanted = words.value.toLowerCase();
  const sources = unusedSources(report);
  const all = report.unused.tools;
  const found = all.filter(
    ({ tool, server }) => tool.toLowerCase().includes(wanted) && (source === "" || server === source),
  );
  const tokens = found.reduce((sum, each) => sum + each.tokens, 0);
  const isWhole = sources.some((each) => each.source === source && each.isWhole);
  const switchOff = isWhole ? switchOffPath(source) : undefined;
  return (
    <div class="list-side">
      <div class="list-head">
        <SearchBox
          label="Search tools that were never used"
          placeholder="Search tools"
          value={words.value}
          onInput={(value) => {
            words.value = value;
            setQuery({ q: value });
          }}
        />
        <FilterSelect
          label="Source"
          name="source"
          value={source}
          choices={sources.map((each) => each.source)}
          wordsOf={sourceWords}
        />
        {switchOff !== undefined && (
          <Link class="button" to={switchOff} aria-label={`Switch off ${visible(source)}`}>
            Switch off
          </Link>
        )}
        {found.length > 1 && found.length < all.length && found.length <= maxAtOnce && (
          <Link class="button" to={hidePath(found.map(({ tool }) => tool))}>
            Hide all {found.length}
          </Link>
        )}
      </div>
      {found.length === 0 ? (
        <Empty title={all.length === 0 ? "Nothing is unused" : "No tool matches"}>
          <p class="muted">
            {all.length === 0
              ? `Every tool that has been listed for a week was called ${days === 1 ? "today" : `in ${periodWords(days)}`}.`
              : "Try other words, or another source."}
          </p>
        </Empty>
      ) : (
        <VirtualList
          label="Tools that were never used"
          count={found.length}
          rowHeight={48}
          keyOf={(at) => (found[at] === undefined ? String(at) : `${found[at].server} ${found[at].tool}`)}
          row={(at) => found[at] && <UnusedTool tool={found[at]} />}
        />
      )}
      <div class="list-foot" role="status">
        {plural(found.length, "tool")} not called {days === 1 ? "today" : `in ${periodWords(days)}`}, with definitions
        of an estimated {plural(tokens, "token")}
      </div>
    </div>
  );
}

/** An address has no room for more. */
const maxAtOnce = 40;

/** Where a person sees and saves what hides these tools. */
function hidePath(tools: readonly string[]): string {
  return `${pathTo("settings", "configuration")}?${new URLSearchParams(tools.map((tool) => ["hide", tool]))}`;
}

function UnusedTool({ tool: { tool, server, tokens } }: { readonly tool: KnownTool }) {
  return (
    <div class="item">
      <span class="two">
        <Link class="name clip" to={pathTo("tools", tool)}>
          {visible(tool)}
        </Link>
        <span class="small muted clip">{visible(server)}</span>
      </span>
      <span class="small muted num" title={`${countText(tokens)} tokens of its definition, estimated`}>
        ≈ {shortCount(tokens)} tok
      </span>
      <Link class="button" to={hidePath([tool])} aria-label={`Hide ${visible(tool)}`}>
        Hide
      </Link>
    </div>
  );
}

/** Where a source of which nothing is used can be switched off; undefined if it can't be. */
export function switchOffPath(source: string): string | undefined {
  if ((servers.value ?? []).some(({ name }) => name === source)) return pathTo("servers", source);
  return source === "machine" ? pathTo("machine") : undefined;
}
