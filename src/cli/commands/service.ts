import { existsSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { World } from "../../core/process/world.ts";
import type { CommandContext } from "../command-context.ts";
import { type CommandGroup, defineCommand } from "../command.ts";
import { Fault } from "../../core/fault.ts";

const unit = "clawport.service";

const install = defineCommand({
  name: "install",
  summary: "start the hub now and at every login",
  options: {
    trust: { type: "boolean", description: "trust the configuration in this folder" },
    desktop: {
      type: "boolean",
      description: "start with your desktop session instead, with its environment and the tray",
    },
  },
  async run(context) {
    const { renderSystemdUnit, requireSystemd, systemctl } = await import("../systemd.ts");
    const { openHomeOf } = await import("../../hub/state/open-home.ts");
    const { loadTrustedConfigOf } = await import("../../hub/state/require-trust.ts");
    await requireSystemd(context);
    const home = await openHomeOf(context);
    const { file } = await loadTrustedConfigOf(context, home, context.options.trust === true);
    const path = unitPath(context);
    await mkdir(dirname(path), { recursive: true });
    // With --config, later changes to a folder's file would count as the owner's word.
    const place = file?.location === "working-folder" ? { folder: dirname(file.path) } : { config: file?.path };
    const { program } = context;
    const desktop = context.options.desktop === true;
    await writeFile(path, renderSystemdUnit({ program, home: home.path, desktop, ...place }));
    if (desktop) await installTray(context, home.path);
    await mustSucceed(systemctl(context, "daemon-reload"), "daemon-reload");
    // A unit that was bound to another target before is no longer wanted there.
    await systemctl(context, "disable", unit);
    await mustSucceed(systemctl(context, "enable", "--now", unit), `enable --now ${unit}`);
    context.answer(
      { unit, path, environment: home.file("service.env") },
      [
        `The hub is running as ${unit} (${path}).`,
        `Put the environment variables that the configuration needs into ${home.file("service.env")}, one NAME=value per line.`,
        desktop
          ? "It starts and ends with your desktop session, and so does the tray, from the next session on; `clawport tray` shows it now."
          : "Run `loginctl enable-linger` to keep it running while you are logged out.",
        `Run \`journalctl --user -u ${unit} -f\` to see its log.`,
      ].join("\n"),
    );
  },
});

const status = defineCommand({
  name: "status",
  summary: "show whether the service is installed and running",
  async run(context) {
    const { requireSystemd, systemctl } = await import("../systemd.ts");
    await requireSystemd(context);
    const enabled = await systemctl(context, "is-enabled", unit);
    const active = await systemctl(context, "is-active", unit);
    const installed = enabled.exit === 0;
    const running = active.exit === 0;
    const text = installed
      ? `${unit} is installed ${running ? "and running." : `but not running (${active.text}). Run \`journalctl --user -u ${unit} -n 50\` to see why.`}`
      : `${unit} is not installed. Run \`clawport service install\` to install it.`;
    context.answer({ unit, installed, running, state: active.text }, text);
    return running ? 0 : 3;
  },
});

const remove = defineCommand({
  name: "remove",
  summary: "stop and remove the service",
  async run(context) {
    const { requireSystemd, systemctl } = await import("../systemd.ts");
    await requireSystemd(context);
    const path = unitPath(context);
    // Exit codes are ignored, so that what is left of a half-removed service is removed too.
    await systemctl(context, "disable", "--now", unit);
    await rm(path, { force: true });
    await removeTray(context);
    await systemctl(context, "daemon-reload");
    context.answer({ unit, path, removed: true }, `Removed ${unit}. State and tokens are kept.`);
  },
});

export const command: CommandGroup = {
  name: "service",
  summary: "run the hub as a systemd user service",
  commands: [install, status, remove],
  examples: ["clawport service install", "clawport service install --desktop", "clawport service status"],
};

function unitPath({ env, homedir }: World): string {
  return join(env["XDG_CONFIG_HOME"] || join(homedir, ".config"), "systemd", "user", unit);
}

/** For desktops whose session systemd knows, and for those that read autostart entries only: of two trays, the second ends itself. */
async function installTray(context: CommandContext, home: string): Promise<void> {
  const { renderTrayUnit, systemctl } = await import("../systemd.ts");
  const { installApplication, setStartWithSession, trayUnit } = await import("../../hub/tray/autostart.ts");
  const path = join(dirname(unitPath(context)), trayUnit);
  await writeFile(path, renderTrayUnit({ program: context.program, home }));
  await installApplication(context, context.program);
  await setStartWithSession(context, context.program, true);
  await mustSucceed(systemctl(context, "enable", trayUnit), `enable ${trayUnit}`);
}

async function removeTray(context: CommandContext): Promise<void> {
  const { systemctl } = await import("../systemd.ts");
  const { removeApplication, trayUnit } = await import("../../hub/tray/autostart.ts");
  const path = join(dirname(unitPath(context)), trayUnit);
  if (existsSync(path)) await systemctl(context, "disable", "--now", trayUnit);
  await rm(path, { force: true });
  await removeApplication(context);
}

async function mustSucceed(result: Promise<{ exit: number; text: string }>, what: string): Promise<void> {
  const { exit, text } = await result;
  if (exit === 0) return;
  throw new Fault("unavailable", `\`systemctl --user ${what}\` failed: ${text || `exit ${exit}`}`, {
    detail: { exit },
  });
}
