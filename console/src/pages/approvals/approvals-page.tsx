import type { ApprovalsList } from "../../../../src/hub/control/approvals.ts";
import type { HeldDefinition } from "../../../../src/catalog/guard/held-definition.ts";
import type { WaitingCall } from "../../../../src/catalog/guard/approvals-file.ts";
import { approvals } from "../../hub/shared.ts";
import { isStillWaiting, refusedOf } from "../../hub/still-waiting.ts";
import { Empty, Loaded } from "../../parts/states.tsx";
import { isNarrow } from "../../parts/narrow.ts";
import { Shape } from "../../parts/state-mark.tsx";
import { Ago, visible } from "../../parts/words.tsx";
import { Link, pathTo } from "../../router/route.tsx";
import type { PageProps } from "../page-table.ts";
import { ChangedDefinition, heldWords } from "./changed-definition.tsx";
import { callerWords, QuestionedCallView } from "./questioned-call.tsx";
import { RememberedAnswers, useRejected } from "./remembered-answers.tsx";
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
      </nav>
      <Loaded from={approvals}>
        {(list) => {
          if (tab === "rules") return <RulesEditor />;
          if (tab === "remembered") return <RememberedAnswers list={list.approvals} />;
          return <Waiting list={list} rest={rest} />;
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

type Thing =
  | { readonly kind: "call"; readonly path: readonly string[]; readonly call: WaitingCall }
  | { readonly kind: "definition"; readonly path: readonly string[]; readonly held: HeldDefinition };

const thingOfCall = (call: WaitingCall): Thing => ({ kind: "call", path: [call.id], call });

/** Calls first, since their clients wait meanwhile. */
function waitingThings({ waiting, changed }: ApprovalsList): readonly Thing[] {
  const definition = (held: HeldDefinition): Thing => ({ kind: "definition", path: ["changed", held.name], held });
  return [...waiting.filter(isStillWaiting).map(thingOfCall), ...changed.map(definition)];
}

function Waiting({ list, rest }: { readonly list: ApprovalsList; readonly rest: readonly string[] }) {
  const waiting = waitingThings(list);
  const refused = refusedOf(list).map(thingOfCall);
  const things = [...waiting, ...refused];
  const rejected = useRejected().value;
  const isChosen = ({ path }: Thing): boolean => rest.length > 0 && path.join("/") === rest.join("/");
  // What a key answers must be in view.
  const isFirst = rest.length === 0 && !isNarrow.value;
  // The overview names a server, whichever of its definitions changed.
  const isOfServer = (thing: Thing): boolean =>
    thing.kind === "definition" && rest[0] === "changed" && thing.held.source === rest[1];
  const chosen = things.find(isChosen) ?? things.find(isOfServer) ?? (isFirst ? things[0] : undefined);
  // A rejected one waits no longer, but it can be seen and accepted.
  const named = rest[0] === "changed" ? rejected?.find(({ name }) => name === rest[1]) : undefined;
  if (things.length === 0 && rest.length === 0)
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
  return (
    <div class={`split${rest.length === 0 ? "" : " has-detail"}`}>
      <div class="list-side" data-list="">
        <div class="scroll">
          {waiting.length === 0 ? (
            <p class="panel-body muted">Nothing waits for you.</p>
          ) : (
            <ThingList label="What waits" things={waiting} chosen={chosen} />
          )}
          {refused.length > 0 && (
            <>
              <h2 class="panel-body small muted">Refused, because no one answered</h2>
              <ThingList label="What was refused" things={refused} chosen={chosen} />
            </>
          )}
        </div>
      </div>
      <div class="detail">
        {chosen === undefined && named !== undefined && <ChangedDefinition key={named.name} held={named} />}
        {chosen === undefined && named === undefined && rest.length > 0 && (
          <Empty title="This no longer waits">
            <p class="muted">It was answered, or its time ran out.</p>
            <Link class="button" to={pathTo("approvals")}>
              What waits now
            </Link>
          </Empty>
        )}
        {chosen?.kind === "call" && <QuestionedCallView key={chosen.call.id} call={chosen.call} />}
        {chosen?.kind === "definition" && <ChangedDefinition key={chosen.held.name} held={chosen.held} />}
      </div>
    </div>
  );
}

interface ThingListProps {
  readonly label: string;
  readonly things: readonly Thing[];
  readonly chosen: Thing | undefined;
}

function ThingList({ label, things, chosen }: ThingListProps) {
  return (
    <ul aria-label={label}>
      {things.map((thing) => (
        <li key={thing.path.join("/")} data-at="">
          <Link class="item" to={pathTo("approvals", ...thing.path)} aria-current={thing === chosen}>
            {thing.kind === "call" ? <CallItem call={thing.call} /> : <DefinitionItem held={thing.held} />}
          </Link>
        </li>
      ))}
    </ul>
  );
}

function CallItem({ call }: { readonly call: WaitingCall }) {
  const isOpen = isStillWaiting(call);
  return (
    <>
      <Shape tone={isOpen ? "warn" : "off"} />
      <span class="two">
        <span class="name clip">{visible(call.name)}</span>
        <span class="small muted clip">{visible(callerWords(call))}</span>
      </span>
      <span class="small muted">
        <Ago at={call.at} />
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
