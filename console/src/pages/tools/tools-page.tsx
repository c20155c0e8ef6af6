import { signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { ToolRow } from "../../../../src/hub/control/queries/search-tools.ts";
import { hub } from "../../hub/control.ts";
import { status } from "../../hub/shared.ts";
import { Empty, FaultBox, Skeleton } from "../../parts/states.tsx";
import { FilterSelect } from "../../parts/filter-select.tsx";
import { hintWords } from "../../parts/hints.tsx";
import { SearchBox } from "../../parts/search-box.tsx";
import { VirtualList } from "../../parts/virtual-list.tsx";
import { countText, Name, plural, visible } from "../../parts/words.tsx";
import { Link, pathTo, query, setQuery } from "../../router/route.tsx";
import type { PageProps } from "../page-table.ts";
import { createPagedList } from "./paged-list.ts";
import { ToolDetail } from "./tool-detail.tsx";

/** What can I call, and what does it do? */
export function ToolsPage({ rest: [chosen] }: PageProps) {
  return (
    <div class={`split${chosen === undefined ? "" : " has-detail"}`}>
      <ToolList chosen={chosen} />
      <div class="detail">
        {chosen === undefined ? (
          <p class="muted">Choose a tool to see what it does, and to run it.</p>
        ) : (
          <ToolDetail key={chosen} name={chosen} />
        )}
      </div>
    </div>
  );
}

const pageSize = 100;
const typingMs = 120;

const areClosest = signal(false);

const list = createPagedList<ToolRow>({
  pageSize,
  events: ["tools-changed", "servers", "config"],
  async load(filter, offset, limit) {
    // As at the command line: if no tool has all of the words, those that come closest in meaning.
    const { total, tools, isClosest } = await hub.tools.search({ ...filter, offset, limit, closest: true });
    areClosest.value = isClosest === true;
    return { total, rows: tools };
  },
});

function ToolList({ chosen }: { readonly chosen: string | undefined }) {
  const words = useSignal(query.value.get("q") ?? "");
  const source = query.value.get("source") ?? "";
  useEffect(() => {
    const timer = setTimeout(
      () => {
        setQuery({ q: words.value });
        list.filter({ ...(words.value && { query: words.value }), ...(source && { source }) });
      },
      list.total.value === undefined ? 0 : typingMs,
    );
    return () => clearTimeout(timer);
  }, [words.value, source]);
  const total = list.total.value ?? 0;
  const sources = status.value?.sources ?? [];
  const suffix = location.search;
  return (
    <div class="list-side">
      <div class="list-head">
        <SearchBox label="Search all tools" value={words.value} onInput={(value) => (words.value = value)} />
        <FilterSelect label="Source" name="source" value={source} choices={sources.map(({ id }) => id)} />
      </div>
      {list.fault.value !== undefined && <FaultBox fault={list.fault.value} onRetry={list.retry} />}
      {areClosest.value && total > 0 && (
        <p class="small muted list-note">No tool has all of these words. These come closest:</p>
      )}
      {list.total.value === undefined && list.fault.value === undefined ? (
        <Skeleton rows={8} />
      ) : list.total.value === 0 ? (
        <NoTools isFiltered={words.value !== "" || source !== ""} />
      ) : (
        <VirtualList
          label="Tools"
          count={total}
          rowHeight={56}
          onRange={list.need}
          row={(at) => {
            const tool = list.at(at);
            return tool === undefined ? (
              <span class="item muted">…</span>
            ) : (
              <ToolItem tool={tool} suffix={suffix} isChosen={tool.name === chosen} />
            );
          }}
        />
      )}
      <div class="list-foot" role="status">
        {list.total.value !== undefined && `${plural(total, "tool")}${words.value + source === "" ? "" : " found"}`}
      </div>
    </div>
  );
}

function NoTools({ isFiltered }: { readonly isFiltered: boolean }) {
  if (isFiltered)
    return (
      <Empty title="No tool matches">
        <p class="muted">Try other words: the search looks at names, titles and descriptions.</p>
      </Empty>
    );
  return (
    <Empty title="No tools yet">
      <p class="muted">Tools come from servers, from running apps and from this computer.</p>
      <div class="row row-wrap">
        <Link class="button button-main" to={pathTo("servers", "+add")}>
          Add a server
        </Link>
        <Link class="button" to={pathTo("machine")}>
          Offer this computer's tools
        </Link>
      </div>
    </Empty>
  );
}

function ToolItem({
  tool,
  suffix,
  isChosen,
}: {
  readonly tool: ToolRow;
  readonly suffix: string;
  readonly isChosen: boolean;
}) {
  const [hint] = hintWords(tool.annotations);
  return (
    <Link class="item" to={`${pathTo("tools", tool.name)}${suffix}`} aria-current={isChosen}>
      <span class="two">
        <span class="row">
          <Name name={tool.name} />
          {hint !== undefined && (
            <span class={`small${hint.startsWith("may") ? " warn" : " muted"} hint-word`}>{hint}</span>
          )}
        </span>
        <span class="small muted clip">{visible(tool.description || tool.title || `from ${tool.source}`)}</span>
      </span>
      <span class="small muted num" title="Tokens of its definition, estimated">
        ≈ {countText(tool.tokens)} tok
      </span>
    </Link>
  );
}
