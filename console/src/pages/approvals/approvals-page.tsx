import { approvals } from "../../hub/shared.ts";
import { NotifyButton } from "../../parts/notify.tsx";
import { Loaded } from "../../parts/states.tsx";
import { Link, pathTo } from "../../router/route.tsx";
import type { PageProps } from "../page-table.ts";
import { Inbox } from "./inbox-view.tsx";
import { RememberedAnswers } from "./remembered-answers.tsx";
import { RulesEditor } from "./rules-editor.tsx";

/** May this run? */
export function ApprovalsPage({ rest }: PageProps) {
  const [first] = rest;
  const tab = first === "rules" || first === "remembered" ? first : "waiting";
  return (
    <div class="tabbed">
      <nav class="tabs page-tabs" aria-label="Approvals">
        <Tab to={pathTo("approvals")} isOpen={tab === "waiting"} label="Waiting" />
        <Tab to={pathTo("approvals", "remembered")} isOpen={tab === "remembered"} label="Remembered answers" />
        <Tab to={pathTo("approvals", "rules")} isOpen={tab === "rules"} label="Rules" />
        <NotifyButton />
      </nav>
      <Loaded from={approvals}>
        {(list) => {
          if (tab === "rules") return <RulesEditor />;
          if (tab === "remembered") return <RememberedAnswers list={list.approvals} />;
          return <Inbox list={list} rest={rest} />;
        }}
      </Loaded>
    </div>
  );
}

function Tab({ to, isOpen, label }: { readonly to: string; readonly isOpen: boolean; readonly label: string }) {
  return (
    <Link to={to} {...(isOpen ? { "aria-current": "page" } : {})}>
      {label}
    </Link>
  );
}
