import type { UsageReport } from "../../../../src/catalog/usage/usage-report.ts";
import { hub } from "../../hub/control.ts";
import { useLive } from "../../hub/live.ts";
import { Loaded, NotFound } from "../../parts/states.tsx";
import { Segments } from "../../parts/segments.tsx";
import { Link, query, setQuery } from "../../router/route.tsx";
import type { PageProps } from "../page-table.ts";
import { TallyList } from "./tally-list.tsx";
import { UnusedList } from "./unused-list.tsx";
import { usagePath } from "./usage-path.ts";
import { UsageSummary } from "./usage-summary.tsx";

const tabs = [
  ["", "Summary"],
  ["servers", "Servers"],
  ["tools", "Tools"],
  ["callers", "Callers"],
  ["unused", "Unused"],
] as const;

const periods = [1, 7, 30] as const;
/** The sums are read from files, one a day. */
const gatherMs = 3000;

/** What do my tools cost, and which of them don't I need? */
export function UsagePage({ rest: [tab = ""] }: PageProps) {
  const asked = Number(query.value.get("days"));
  const days = periods.find((each) => each === asked) ?? 30;
  const report = useLive(
    () => hub.usage.read({ days }),
    ["audit", "tools-changed", "servers", "config"],
    [days],
    gatherMs,
  );
  return (
    <div class="tabbed">
      <div class="usage-head">
        <nav class="tabs page-tabs" aria-label="Usage">
          {tabs.map(([id, label]) => (
            <Link key={id} to={usagePath(id, days)} {...(id === tab ? { "aria-current": "page" } : {})}>
              {label}
            </Link>
          ))}
        </nav>
        <Segments
          label="Period"
          choices={periods.map((each) => [String(each), each === 1 ? "Today" : `${each} days`])}
          value={String(days)}
          onChoose={(chosen) => setQuery({ days: chosen })}
        />
      </div>
      <Loaded from={report}>{(found) => <Tab tab={tab} report={found} days={days} />}</Loaded>
    </div>
  );
}

interface TabProps {
  readonly tab: string;
  readonly report: UsageReport;
  readonly days: number;
}

function Tab({ tab, report, days }: TabProps) {
  switch (tab) {
    case "servers":
    case "tools":
    case "callers":
      return <TallyList key={tab} kind={tab} report={report} days={days} />;
    case "unused":
      return <UnusedList report={report} days={days} />;
    case "":
      return <UsageSummary report={report} days={days} />;
    default:
      return <NotFound what="page of the usage" home={usagePath("", days)} />;
  }
}
