import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { type Fault, toFault } from "../../../../src/core/fault.ts";
import type { ConfigProblem } from "../../../../src/core/config/config-problem.ts";
import type { ConfigText } from "../../../../src/hub/control/config-text.ts";
import { act } from "../../hub/act.ts";
import { hub } from "../../hub/control.ts";
import { draftOf } from "../../hub/drafts.ts";
import { useLive } from "../../hub/live.ts";
import { Diff, Opened, Panel } from "../../parts/blocks.tsx";
import { FaultBox, Loaded } from "../../parts/states.tsx";
import { Button } from "../../parts/button.tsx";
import { Editor } from "../../parts/editor.tsx";
import { Shape, StateMark } from "../../parts/state-mark.tsx";
import { plural, visible } from "../../parts/words.tsx";
import { Link, pathTo, query } from "../../router/route.tsx";
import { lineDiff } from "./line-diff.ts";

/** The configuration file as it is written, comments and all. */
export function Configuration() {
  const read = useLive(() => hub.configuration.read(), ["config"]);
  return (
    <Loaded from={read} rows={12}>
      {(file) => <ConfigEditor file={file} onSaved={read.reload} />}
    </Loaded>
  );
}

const typingMs = 250;
const starter = "{\n  // Servers, rules and everything else: docs/hub.md\n  servers: {},\n}\n";

function ConfigEditor({ file, onSaved }: { readonly file: ConfigText; onSaved(): void }) {
  const saved = file.text ?? "";
  const draft = draftOf("settings", saved === "" ? starter : saved, file.hash);
  const isChanged = draft.value !== saved;
  const verdict = useVerdict(draft.value);
  const isShown = useSignal(false);
  const { problems } = verdict;
  const ok = verdict.kind === "usable";
  if (file.text === undefined && file.location === undefined) return <p class="muted">There is no file to edit.</p>;
  return (
    <div class="stack">
      <div class="row row-wrap">
        <code class="grow break">{visible(file.path)}</code>
        <VerdictMark verdict={verdict} />
      </div>
      {draft.isOld && (
        <p class="hint-box" role="status">
          The file has changed since you began to edit it. Review shows what saving would change in the file as it is
          now.
        </p>
      )}
      <Hiding
        saved={saved === "" ? starter : saved}
        onText={(text) => {
          draft.set(text);
          isShown.value = true;
        }}
      />
      <Editor
        label="Configuration"
        value={draft.value}
        wrongLines={problems.map(({ line }) => line)}
        onInput={(text) => {
          draft.set(text);
          isShown.value = false;
        }}
      />
      <Problems problems={problems} />
      {isShown.value ? (
        <Opened>
          <Panel title="This changes">
            <Diff text={lineDiff(saved, draft.value)} label="What saving changes" />
            <div class="row row-wrap">
              <Button
                kind="main"
                disabled={!ok}
                onClick={async () => {
                  const write = () => hub.configuration.write({ text: draft.value, baseHash: file.hash });
                  if (!(await act(write, "Saved, and active."))) return;
                  draft.discard();
                  isShown.value = false;
                  onSaved();
                }}
              >
                Save
              </Button>
              <Button local onClick={() => (isShown.value = false)}>
                Go on editing
              </Button>
            </div>
          </Panel>
        </Opened>
      ) : (
        <div class="row row-wrap">
          <Button kind="main" disabled={!isChanged || !ok} onClick={() => (isShown.value = true)}>
            Review changes
          </Button>
          {draft.isChanged && (
            <Button local onClick={draft.discard}>
              Discard
            </Button>
          )}
          <Button onClick={() => act(() => hub.configuration.reload(), "The file was read again.")}>
            Read the file again
          </Button>
          <span class="small muted">Secrets are masked; a masked value stays as it is.</span>
        </div>
      )}
    </div>
  );
}

type Verdict =
  | { readonly kind: "checking" | "unchecked"; readonly problems: readonly ConfigProblem[] }
  | { readonly kind: "usable" | "wrong"; readonly problems: readonly ConfigProblem[] };

/** What the hub says of this text. A text that it has not judged yet is not called valid. */
function useVerdict(text: string): Verdict {
  const verdict = useSignal<Verdict & { readonly text?: string }>({ kind: "checking", problems: [] });
  useEffect(() => {
    let isOld = false;
    const timer = setTimeout(() => {
      hub.configuration.validate({ text }).then(
        ({ ok, problems }) => !isOld && (verdict.value = { kind: ok ? "usable" : "wrong", problems, text }),
        (error) => {
          const message = `This could not be checked: ${toFault(error).message}`;
          if (!isOld)
            verdict.value = { kind: "unchecked", problems: [{ path: "", line: 1, column: 1, message }], text };
        },
      );
    }, typingMs);
    return () => {
      isOld = true;
      clearTimeout(timer);
    };
  }, [text]);
  const { problems } = verdict.value;
  return verdict.value.text === text ? verdict.value : { kind: "checking", problems };
}

function VerdictMark({ verdict: { kind, problems } }: { readonly verdict: Verdict }) {
  const marks = {
    checking: () => <StateMark tone="busy">checking…</StateMark>,
    unchecked: () => <StateMark tone="bad">not checked</StateMark>,
    wrong: () => <StateMark tone="bad">{plural(problems.length, "problem")}</StateMark>,
    usable: () =>
      problems.length === 0 ? (
        <StateMark tone="ok">valid</StateMark>
      ) : (
        <StateMark tone="warn">{plural(problems.length, "remark")}</StateMark>
      ),
  };
  return <span data-verdict={kind === "usable" ? "ok" : kind}>{marks[kind]()}</span>;
}

interface HidingProps {
  readonly saved: string;
  onText(text: string): void;
}

/** Enters the tools that the address names into the text, where the user sees what that changes before it is saved. */
function Hiding({ saved, onText }: HidingProps) {
  const tools = query.value.getAll("hide").filter((tool) => tool !== "");
  const state = useSignal<"asking" | "entered" | "hidden" | Fault>("asking");
  useEffect(() => {
    if (tools.length === 0) return;
    const enter = async () => {
      const text = await hub.configuration.hide({ text: saved, tools });
      state.value = text === saved ? "hidden" : "entered";
      if (text !== saved) onText(text);
    };
    enter().catch((error: unknown) => (state.value = toFault(error)));
  }, [tools.join("\n"), saved]);
  if (tools.length === 0) return null;
  const now = state.value;
  if (typeof now === "object") return <FaultBox fault={now} />;
  const names = tools.length > maxNamed ? plural(tools.length, "tool") : tools.map(visible).join(", ");
  return (
    <div class="hint-box row row-wrap" role="status" data-hiding={now}>
      <span class="grow break">
        {now === "asking" && "…"}
        {now === "hidden" && `Hidden from all clients: ${names}.`}
        {now === "entered" && `This hides ${names} from all clients. See what changes below, and save it.`}
      </span>
      <Link class="button" to={pathTo("usage", "unused")}>
        Back to unused tools
      </Link>
    </div>
  );
}

const maxNamed = 5;

function Problems({ problems }: { readonly problems: readonly ConfigProblem[] }) {
  if (problems.length === 0) return null;
  return (
    <ul class="panel lines" aria-label="Problems">
      {problems.slice(0, 30).map((problem) => (
        <li key={JSON.stringify(problem)}>
          <Shape tone="bad" />
          <span class="grow break">
            <span class="muted">Line {problem.line}: </span>
            <code>{visible(problem.path)}</code> {visible(problem.message)}
            {problem.suggestion !== undefined && (
              <>
                ; did you mean <code>{visible(problem.suggestion)}</code>?
              </>
            )}
          </span>
        </li>
      ))}
    </ul>
  );
}
