import type { UsageReport } from "../../../../src/catalog/usage/usage-report.ts";
import { servers } from "../../hub/shared.ts";
import { Panel } from "../../parts/blocks.tsx";
import { Empty } from "../../parts/states.tsx";
import { BarChart } from "../../parts/charts.tsx";
import { Icon } from "../../parts/icon.tsx";
import { countText, plural, shortCount, visible } from "../../parts/words.tsx";
import { Link, pathTo } from "../../router/route.tsx";
import { talliesOf, type TallyKind, TallyRow } from "./tally-row.tsx";
import { switchOffPath } from "./unused-list.tsx";
import { type UnusedSource, unusedSources } from "./unused-sources.ts";
import { usagePath } from "./usage-path.ts";
import { dayWords, periodWords, sourceWords } from "./usage-words.ts";

interface SummaryProps {
  readonly report: UsageReport;
  readonly days: number;
}

/** The whole at a glance: how much, when, what no one uses, and who uses what most. */
export function UsageSummary({ report, days }: SummaryProps) {
  return (
    <div class="scroll">
      <div class="usage-body stack">
        {report.total.calls === 0 ? <NoCalls days={days} /> : <Totals report={report} days={days} />}
        <NeverUsed report={report} days={days} />
        {report.total.calls > 0 && (
          <>
            <div class="columns">
              <Top kind="servers" title="Servers" report={report} days={days} />
              <Top kind="callers" title="Callers" report={report} days={days} />
            </div>
            <Top kind="tools" title="Tools" report={report} days={days} />
          </>
        )}
      </div>
    </div>
  );
}

function NoCalls({ days }: { readonly days: number }) {
  return (
    <div class="panel">
      <Empty title={days === 1 ? "No calls today" : `No calls in ${periodWords(days)}`}>
        <p class="muted">
          What your clients call appears here: how often, how many tokens it takes, and which tools no one needs. The
          ledger keeps 92 days, without arguments or results.
        </p>
        <div class="row row-wrap">
          {servers.value?.length !== 0 ? (
            <Link class="button button-main" to={pathTo("tools")}>
              Run a tool
            </Link>
          ) : (
            <Link class="button button-main" to={pathTo("servers", "+add")}>
              Add a server
            </Link>
          )}
          <Link class="button" to={pathTo("settings", "clients")}>
            Connect a client
          </Link>
        </div>
      </Empty>
    </div>
  );
}

function Totals({ report, days }: SummaryProps) {
  const { total, from, to } = report;
  const time = days === 1 ? `${dayWords(to)}, UTC` : `${dayWords(from)} to ${dayWords(to)}, UTC`;
  return (
    <Panel title={days === 1 ? "Today" : `The last ${days} days`} aside={<span class="small muted">{time}</span>}>
      <div class="call-chart">
        <div class="figures">
          <Figure value={total.calls} name={total.calls === 1 ? "call" : "calls"} />
          <Figure
            value={total.errors}
            name={`errors (${percentText(total.errors, total.calls)})`}
            isBad={total.errors > 0}
          />
          <Figure value={total.tokensIn} name="estimated tokens in" />
          <Figure value={total.tokensOut} name="estimated tokens out" />
          {total.tokensKept > 0 && <Figure value={total.tokensKept} name="left out by previews" />}
        </div>
        {days > 1 && <Charts report={report} />}
      </div>
    </Panel>
  );
}

interface FigureProps {
  readonly value: number;
  readonly name: string;
  readonly isBad?: boolean;
}

function Figure({ value, name, isBad = false }: FigureProps) {
  return (
    <div class="figure" title={`${countText(value)} ${name}`}>
      <b class={isBad ? "bad" : ""}>{shortCount(value)}</b>
      <span>{name}</span>
    </div>
  );
}

function Charts({ report: { days, total } }: { readonly report: UsageReport }) {
  const ends = [dayWords(days[0]?.day ?? ""), dayWords(days.at(-1)?.day ?? "")] as const;
  const busiest = days.reduce((best, each) => (each.calls > best.calls ? each : best));
  const tokensOf = (day: (typeof days)[number]): number => day.tokensIn + day.tokensOut;
  const heaviest = days.reduce((best, each) => (tokensOf(each) > tokensOf(best) ? each : best));
  return (
    <div class="columns charts">
      <BarChart
        caption="Calls by day"
        legend={[
          ["bar", "calls"],
          ["bar-bad", "errors"],
        ]}
        ends={ends}
        label={`${plural(total.calls, "call")} and ${plural(total.errors, "error")}, most on ${dayWords(busiest.day)}: ${countText(busiest.calls)}`}
        values={days.map(({ day, calls, errors }) => ({
          key: day,
          whole: calls,
          part: errors,
          title: `${dayWords(day)}: ${plural(calls, "call")}, ${plural(errors, "error")}`,
        }))}
      />
      <BarChart
        caption="Estimated tokens by day"
        legend={[["bar", "in and out"]]}
        ends={ends}
        label={`Estimated tokens in and out, most on ${dayWords(heaviest.day)}: ${countText(tokensOf(heaviest))}`}
        values={days.map((day) => ({
          key: day.day,
          whole: tokensOf(day),
          part: 0,
          title: `${dayWords(day.day)}: ${countText(day.tokensIn)} tokens in, ${countText(day.tokensOut)} out`,
        }))}
      />
    </div>
  );
}

const shownSources = 8;

function NeverUsed({ report, days }: SummaryProps) {
  const sources = unusedSources(report);
  const { listed, unused } = report;
  const tokens = unused.tools.reduce((sum, each) => sum + each.tokens, 0);
  if (sources.length === 0) return null;
  return (
    <Panel
      title={days === 1 ? "Not used today" : `Not used in ${periodWords(days)}`}
      aside={
        unused.tools.length > 0 && (
          <Link class="small" to={usagePath("unused", days)}>
            All {plural(unused.tools.length, "tool")}
          </Link>
        )
      }
      bare
    >
      {unused.tools.length > 0 && (
        <p class="panel-body muted">
          {countText(unused.tools.length)} of {plural(listed.tools, "tool")}{" "}
          {unused.tools.length === 1
            ? "was not called. Its definition takes"
            : "were not called. Their definitions take"}{" "}
          an estimated{" "}
          <b class="num strong">
            {countText(tokens)} of {plural(listed.tokens, "token")}
          </b>{" "}
          ({percentText(tokens, listed.tokens)}) of the full list, which clients without tool search read in every turn.
        </p>
      )}
      <ul class="lines lines-more">
        {sources.slice(0, shownSources).map((each) => (
          <Unused key={each.source} unused={each} days={days} />
        ))}
      </ul>
      {sources.length > shownSources && (
        <p class="panel-body small muted lines-more">
          And {plural(sources.length - shownSources, "more source")}, with fewer tokens.
        </p>
      )}
    </Panel>
  );
}

function Unused({ unused, days }: { readonly unused: UnusedSource; readonly days: number }) {
  const { source, tools, tokens, isWhole } = unused;
  const what = tools === 0 ? "lists no tools now" : isWhole ? `all ${plural(tools, "tool")}` : plural(tools, "tool");
  const name = visible(sourceWords(source));
  const review = usagePath("unused", days, { source });
  const switchOff = isWhole ? switchOffPath(source) : undefined;
  return (
    <li class="unused-line">
      <div class="grow">
        {tools === 0 ? (
          <span class="mono break">{name}</span>
        ) : (
          <Link class="mono break" to={review}>
            {name}
          </Link>
        )}{" "}
        <span class="small muted">{isWhole && tools === 1 ? "its only tool" : what}</span>
      </div>
      {tools > 0 && (
        <span class="small muted num" title={`${countText(tokens)} tokens of definitions, estimated`}>
          ≈ {shortCount(tokens)} tok
        </span>
      )}
      {switchOff !== undefined ? (
        <Link class="button" to={switchOff} aria-label={`Switch off ${name}`}>
          Switch off
        </Link>
      ) : (
        <Link class="button" to={review} aria-label={`Review the unused tools of ${name}`}>
          Review
          <Icon name="right" size={12} />
        </Link>
      )}
    </li>
  );
}

const shownRows: Readonly<Record<TallyKind, number>> = { servers: 6, callers: 6, tools: 10 };

function Top({ kind, title, report, days }: SummaryProps & { readonly kind: TallyKind; readonly title: string }) {
  const rows = talliesOf(report, kind, days);
  const most = Math.max(1, rows[0]?.calls ?? 0);
  return (
    <Panel
      title={title}
      aside={
        <Link class="small" to={usagePath(kind, days)}>
          {rows.length > shownRows[kind] ? `All ${countText(rows.length)}` : "Details"}
          <span class="hidden"> of {kind}</span>
        </Link>
      }
      bare
    >
      <div class="tally tally-head small muted" aria-hidden="true">
        <span class="name" />
        <span class="tally-figures">
          <span class="tally-figure">Calls</span>
          <span class="tally-figure">Errors</span>
          <span class="tally-figure">Tokens in</span>
          <span class="tally-figure">Tokens out</span>
        </span>
      </div>
      <ul aria-label={`Most used ${kind}`}>
        {rows.slice(0, shownRows[kind]).map((row) => (
          <li key={row.id} class="tally-line">
            <TallyRow row={row} share={row.calls / most} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function percentText(part: number, whole: number): string {
  const value = whole === 0 ? 0 : (part / whole) * 100;
  return `${value !== 0 && value < 10 ? value.toFixed(1) : Math.round(value)} %`;
}
