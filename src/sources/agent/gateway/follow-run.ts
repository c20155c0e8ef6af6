import { Fault } from "../../../core/fault.ts";
import type { ReplyOptions } from "../reply.ts";
import type { RunEvent } from "./run-event.ts";

/** What is known of a run when it is over. */
export interface RunOutcome {
  readonly text: string;
  readonly tools: readonly string[];
  /** What the agent has announced to attach, by its own words; it is fetched afterwards. */
  readonly media: readonly string[];
}

export interface RunFollower {
  /** Settles with the run. */
  readonly outcome: Promise<RunOutcome>;
  take(event: RunEvent): void;
  /** The run is known to have ended in another way than by its events. */
  end(text: string): void;
  fail(fault: Fault): void;
}

/** Turns the events of a run into the callbacks of a reply and, at last, its outcome. */
export function followRun({
  onPartial,
  onBlock,
  onActivity,
}: Pick<ReplyOptions, "onPartial" | "onBlock" | "onActivity">): RunFollower {
  const { promise: outcome, resolve, reject } = Promise.withResolvers<RunOutcome>();
  const tools = new Set<string>();
  let item = { id: "", text: "" };
  let words = "working";
  const media = new Set<string>();
  outcome.catch(() => {});

  return { outcome, take, fail: reject, end: (text) => resolve({ text, tools: [...tools], media: [...media] }) };

  function take(event: RunEvent): void {
    switch (event.kind) {
      case "status":
        return say(event.words);
      case "text":
        return takeText(event);
      case "block":
        return onBlock({ text: event.text });
      case "tool":
        tools.add(event.name);
        return say(`using ${event.name}`);
      case "sign-of-life":
        return say(words);
      case "final":
        return resolve({ text: event.text, tools: [...tools], media: [...media] });
      case "error":
        return reject(new Fault("unavailable", `OpenClaw could not answer: ${event.message}`));
      case "aborted":
        return reject(new Fault("unavailable", `The order was stopped inside OpenClaw. ${event.message}`.trim()));
    }
  }

  /** A new item is a new message: the one before it is complete. */
  function takeText(event: Extract<RunEvent, { kind: "text" }>): void {
    if (event.item !== item.id && item.text !== "") onBlock({ text: item.text });
    item = { id: event.item, text: event.text };
    for (const each of event.media) media.add(each);
    say("writing");
    onPartial(event.text);
  }

  function say(now: string): void {
    words = now;
    onActivity(now);
  }
}
