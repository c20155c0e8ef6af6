import { describe, expect, test } from "vitest";
import { abortOf, LazyAbort } from "./lazy-abort.ts";

function note(heard: string[], name: string) {
  return { handleEvent: () => void heard.push(name) };
}

const withoutSignal = (abort: LazyAbort) => ({
  abort,
  get signal(): AbortSignal {
    throw new Error("nobody needs a signal");
  },
});

describe.each([
  ["without a signal", (abort: LazyAbort) => abortOf(withoutSignal(abort))],
  ["over the signal it makes", ({ signal }: LazyAbort) => abortOf({ signal })],
])("an abort %s", (_, seenFrom) => {
  test("calls the remaining listeners once, with the reason", () => {
    const lazy = new LazyAbort();
    const abort = seenFrom(lazy);
    const heard: string[] = [];
    const gone = note(heard, "gone");
    abort.listen(gone);
    abort.listen(note(heard, "there"));
    abort.unlisten(gone);
    abort.unlisten(gone);
    expect([abort.aborted, abort.reason]).toEqual([false, undefined]);
    lazy.abort("first");
    lazy.abort("second");
    expect([abort.aborted, abort.reason, heard]).toEqual([true, "first", ["there"]]);
  });

  test("lets a listener stop listening while it is called", () => {
    const lazy = new LazyAbort();
    const abort = seenFrom(lazy);
    const heard: string[] = [];
    const listener = {
      handleEvent() {
        heard.push("one");
        abort.unlisten(listener);
      },
    };
    abort.listen(listener);
    abort.listen(note(heard, "two"));
    lazy.abort("over");
    expect(heard).toEqual(["one", "two"]);
  });
});

test("a signal that is asked for late has aborted already", () => {
  const lazy = new LazyAbort();
  lazy.abort("over");
  expect([lazy.signal.aborted, lazy.signal.reason, lazy.signal === lazy.signal]).toEqual([true, "over", true]);
});
