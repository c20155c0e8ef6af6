import { Fault } from "../../../core/fault.ts";
import { count, flag, optional, text } from "../input.ts";
import { verb } from "../verb.ts";
import { requireMachine } from "../settings/machine-state.ts";

/** What a tray shows and does. */
export const presence = {
  read: verb({
    needs: "look",
    summary:
      "What a tray shows: calls that wait or run, recordings, a pause. With `after` it answers with the next change.",
    withinMs: Infinity,
    input: {
      after: optional(text("The revision that is known already.")),
      asks: optional(flag("Who waits shows the questions to a person.")),
    },
    run: async (hub, query, signal) =>
      (await (await import("../queries/presence.ts")).openPresence(hub)).read(query, signal),
  }),
  pause: verb({
    needs: "change",
    summary:
      "Refuses all calls, and ends recordings, until the time is over or the user resumes. A restart does not end it.",
    input: { minutes: optional(count("Until the user resumes unless given.")) },
    run: async ({ engine }, { minutes }) => {
      engine.machine?.recordings.stop();
      await engine.pause.begin(minutes === undefined ? undefined : Date.now() + minutes * 60_000);
      return engine.pause.state();
    },
  }),
  resume: verb({
    needs: "change",
    summary: "Ends a pause.",
    run: ({ engine }) => Promise.resolve(engine.pause.resume()),
  }),
  stopRecording: verb({
    needs: "change",
    summary: "Ends a recording. Its caller gets an error, and the file is deleted.",
    input: { id: text() },
    run: (hub, { id }) => {
      if (requireMachine(hub).recordings.stop(id)) return Promise.resolve({ stopped: id });
      throw new Fault("not-found", "This recording is over.");
    },
  }),
};
