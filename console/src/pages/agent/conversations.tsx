import type { ConversationPlace } from "../../../../src/sources/agent/conversations/conversation-store.ts";
import { act } from "../../hub/act.ts";
import { hub } from "../../hub/control.ts";
import { slowly, useLive } from "../../hub/live.ts";
import { Panel } from "../../parts/blocks.tsx";
import { Loaded } from "../../parts/states.tsx";
import { Confirmed } from "../../parts/button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Ago, plural, visible } from "../../parts/words.tsx";
import { Link, navigate, pathTo } from "../../router/route.tsx";

const maxShown = 60;

/** The sessions of the agent, latest first. */
export function Conversations({ chosen }: { readonly chosen: string | undefined }) {
  const list = useLive(() => hub.conversations.list(), ["audit"], [], slowly);
  return (
    <Panel
      title="Sessions"
      aside={
        chosen !== undefined && (
          <Link class="button" to={pathTo("agent")}>
            <Icon name="plus" size={14} /> New
          </Link>
        )
      }
      bare
    >
      <Loaded from={list}>
        {(found) =>
          found.length === 0 ? (
            <p class="panel-body muted">None yet. The first order begins one.</p>
          ) : (
            <ul class="session-list">
              {found.slice(0, maxShown).map((each) => (
                <li key={`${each.place} ${each.key}`}>
                  <Link class="item" to={pathTo("agent", each.place, each.key)} aria-current={each.key === chosen}>
                    <span class="two">
                      <span class="name clip">{visible(each.title ?? each.key)}</span>
                      <span class="small muted clip">
                        {each.place === "openclaw" ? "OpenClaw" : "model"}
                        {each.messages !== undefined && ` · ${plural(each.messages, "message")}`}
                        {each.token !== undefined && ` · token ${visible(each.token)}`}
                      </span>
                    </span>
                    <span class="small muted">
                      <Ago at={each.updatedAt} />
                    </span>
                  </Link>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Panel>
  );
}

/** What was said in one session. */
export function ConversationView({
  place,
  sessionKey,
}: {
  readonly place: ConversationPlace;
  readonly sessionKey: string;
}) {
  const shown = useLive(
    () => hub.conversations.show({ key: sessionKey, from: place }),
    ["audit"],
    [place, sessionKey],
    slowly,
  );
  return (
    <Panel
      title={<span class="mono">{visible(sessionKey)}</span>}
      aside={
        <Confirmed
          label="Delete…"
          question="Delete this session and everything said in it?"
          yes="Delete"
          onYes={async () => {
            if (await act(() => hub.conversations.remove({ key: sessionKey, from: place }), "The session is deleted."))
              navigate(pathTo("agent"));
          }}
        />
      }
    >
      <Loaded from={shown}>
        {({ said }) => (
          <div class="chat" tabIndex={0} role="log" aria-label="What was said">
            {said.map(({ role, text }, at) => (
              <p key={at} class={`said${role === "user" ? " said-user" : ""}`}>
                <span class="hidden">{role}: </span>
                {visible(text)}
              </p>
            ))}
          </div>
        )}
      </Loaded>
    </Panel>
  );
}
