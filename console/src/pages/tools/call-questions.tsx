import { useSignal } from "@preact/signals";
import { act } from "../../hub/act.ts";
import { answerQuestion, type CallQuestion } from "../../hub/call-tool.ts";
import { Panel } from "../../parts/blocks.tsx";
import { Button } from "../../parts/button.tsx";
import { visible } from "../../parts/words.tsx";
import { SchemaForm } from "../../schema-form/schema-form.tsx";
import type { ToolRun } from "./tool-run.ts";

/** What a server asks its user during a call. */
export function CallQuestions({ run }: { readonly run: ToolRun }) {
  return (
    <>
      {run.questions.value.map((question) => (
        <Question key={question.id} question={question} onDone={() => run.answered(question.id)} />
      ))}
    </>
  );
}

function Question({ question, onDone }: { readonly question: CallQuestion; onDone(): void }) {
  const { message = "The server asks you something.", requestedSchema } = question.params;
  const content = useSignal<unknown>({});
  const answer = async (body: object): Promise<void> => {
    if (await act(() => answerQuestion(question.id, body))) onDone();
  };
  return (
    <Panel title="The server asks">
      <p class="pre break">{visible(message)}</p>
      {requestedSchema !== undefined && (
        <SchemaForm
          schema={requestedSchema}
          value={content.value}
          onChange={(value) => (content.value = value ?? {})}
        />
      )}
      <div class="row row-wrap">
        <Button kind="main" onClick={() => answer({ action: "accept", content: content.value })}>
          Answer
        </Button>
        <Button onClick={() => answer({ action: "decline" })}>Decline</Button>
      </div>
    </Panel>
  );
}
