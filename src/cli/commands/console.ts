import { Fault } from "../../core/fault.ts";
import { defineCommand } from "../command.ts";
import { isLoopbackHostname } from "../../core/http/addresses.ts";

export const command = defineCommand({
  name: "console",
  summary: "open the hub's page in your browser, by a link that works once",
  options: {
    print: { type: "boolean", description: "print the link instead of opening it" },
  },
  examples: ["clawport console", "clawport console --print"],
  async run(context) {
    const { openHomeOf } = await import("../../hub/state/open-home.ts");
    const { findRunningHub } = await import("../../hub/state/hub-record.ts");
    const { createSignInLink } = await import("../../doors/console/sign-in-link.ts");
    const home = await openHomeOf(context);
    const running = await findRunningHub(home);
    if (running === undefined) throw new Fault("unavailable", "No hub is running. Run `clawport up` to start one.");
    if (running.host === "openclaw")
      throw new Fault(
        "unavailable",
        "OpenClaw's gateway keeps these servers. The console belongs to a hub of its own: `clawport up`.",
      );
    const { address } = running;
    if (!isLoopbackHostname(new URL(address).hostname))
      throw new Fault(
        "unavailable",
        `The hub listens at ${address} only, and its console is for this machine alone. Set \`hub.host\` to 127.0.0.1 or 0.0.0.0.`,
      );
    // Without a terminal, a model may be running this: such a session may look, but not change anything.
    const terminal = context.isAttended && context.stdout.isTTY === true;
    const link = await createSignInLink({ home, hub: running, terminal });
    const limits = terminal ? "" : " It can look, but not change anything: it was not made at a terminal.";
    const about = `The link works once, for 5 minutes.${limits}`;
    if (context.json) return context.answer(link, "");
    if (context.options.print === true) {
      context.answer(link, link.url);
      if (!context.globals.quiet) context.stderr.write(`${about}\n`);
      return;
    }
    const { openBrowser } = await import("../../hub/sign-in/open-browser.ts");
    if (await openBrowser(new URL(link.url), context)) return context.say("Opened the console in your browser.");
    context.answer(link, `Open this in a browser on this machine:\n  ${link.url}\n${about}`);
  },
});
