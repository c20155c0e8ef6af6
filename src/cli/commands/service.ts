import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { World } from "../../core/process/world.ts";
import { type CommandGroup, defineCommand } from "../command.ts";

const unit = "clawport.service";

const install = defineCommand({
  name: "install",
  summary: "start the hub now and at every login",
  options: { trust: { type: "boolean", description: "trust the configuration in this folder" } },
  async run(context) {
    const { requireSystemd, systemctl } = await import("../systemd.ts");
    const { renderSystemdUnit } = await import("../systemd.ts");
    const { openHomeOf } = await import("../open-home.ts");
    const { loadConfigOf } = await import("../config-of.ts");
    const { requireTrust } = await import("../../hub/require-trust.ts");
    await requireSystemd(context);
    const home = await openHomeOf(context);
    const { file } = await loadConfigOf(context);
    // The service names the file, and a file that was named is trusted: so the question belongs here.
    if (file !== undefined) await requireTrust(context, home, file, context.options.trust === true);
    const path = unitPath(context);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, renderSystemdUnit({ program: context.program, home: home.path, config: file?.path }));
    await mustSucceed(systemctl(context, "daemon-reload"), "daemon-reload");
    await mustSucceed(systemctl(context, "enable", "--now", unit), `enable --now ${unit}`);
    context.answer(
      { unit, path, environment: home.file("service.env") },
      [
        `The hub runs as ${unit} (${path}).`,
        `Variables that the configuration needs go into ${home.file("service.env")}, one NAME=value a line.`,
        `To keep it running while nobody is logged in: loginctl enable-linger`,
        `Its log: journalctl --user -u ${unit} -f`,
      ].join("\n"),
    );
  },
});

const status = defineCommand({
  name: "status",
  summary: "whether the service is installed and runs",
  async run(context) {
    const { requireSystemd, systemctl } = await import("../systemd.ts");
    await requireSystemd(context);
    const enabled = await systemctl(context, "is-enabled", unit);
    const active = await systemctl(context, "is-active", unit);
    const installed = enabled.exit === 0;
    const running = active.exit === 0;
    const text = installed
      ? `${unit} is installed and ${running ? "runs" : `does not run (${active.text}); see: journalctl --user -u ${unit} -n 50`}.`
      : `${unit} is not installed; install it with: clawport service install`;
    context.answer({ unit, installed, running, state: active.text }, text);
    return running ? 0 : 3;
  },
});

const remove = defineCommand({
  name: "remove",
  summary: "stop the service and take it away",
  async run(context) {
    const { requireSystemd, systemctl } = await import("../systemd.ts");
    await requireSystemd(context);
    const path = unitPath(context);
    // Exit codes are no matter here: whatever is left of a half-removed service goes as well.
    await systemctl(context, "disable", "--now", unit);
    await rm(path, { force: true });
    await systemctl(context, "daemon-reload");
    context.answer({ unit, path, removed: true }, `${unit} is gone. State and tokens stay where they are.`);
  },
});

export const command: CommandGroup = {
  name: "service",
  summary: "run the hub as a systemd service of this user",
  commands: [install, status, remove],
  examples: ["clawport service install", "clawport service status"],
};

function unitPath({ env, homedir }: World): string {
  return join(env["XDG_CONFIG_HOME"] || join(homedir, ".config"), "systemd", "user", unit);
}

async function mustSucceed(asking: Promise<{ exit: number; text: string }>, what: string): Promise<void> {
  const { exit, text } = await asking;
  if (exit === 0) return;
  const { Fault } = await import("../../core/fault.ts");
  throw new Fault("unavailable", `"systemctl --user ${what}" failed: ${text || `exit ${exit}`}`, { detail: { exit } });
}
