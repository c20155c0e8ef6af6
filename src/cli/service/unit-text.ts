export interface UnitFacts {
  /** Node and the program, as absolute paths. */
  readonly program: readonly string[];
  readonly home: string;
  readonly config?: string | undefined;
}

/**
 * The systemd unit of the hub. It reads `service.env` in the home folder, since a service sees nothing of the
 * shell's variables, and it is not started again after exits that starting again can't mend (usage, permission, configuration).
 */
export function unitText({ program, home, config }: UnitFacts): string {
  const words = [...program, "up", "--home", home, ...(config === undefined ? [] : ["--config", config])];
  return `[Unit]
Description=Clawport hub
StartLimitIntervalSec=60
StartLimitBurst=5

[Service]
Type=exec
ExecStart=${words.map(unitWord).join(" ")}
EnvironmentFile=-${unitPath(`${home}/service.env`)}
Restart=on-failure
RestartSec=2
RestartPreventExitStatus=2 77 78
TimeoutStopSec=15
UMask=0077

[Install]
WantedBy=default.target
`;
}

/** One word of a command line as systemd reads it: `%` starts a specifier there, `$` a variable (systemd.service(5), "Command lines"). */
function unitWord(word: string): string {
  const escaped = word
    .replaceAll("\\", "\\\\")
    .replaceAll('"', String.raw`\"`)
    .replaceAll("%", "%%")
    .replaceAll("$", "$$$$");
  return `"${escaped}"`;
}

/** A path setting is not a command line: it is taken to the end of the line, only specifiers count. */
function unitPath(path: string): string {
  return path.replaceAll("%", "%%");
}
