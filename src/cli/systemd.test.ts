import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runProgram } from "../../tests/support/cli/run-shell.ts";
import { requireDebianPackage } from "../../tests/setup/require-debian-package.ts";
import { renderSystemdUnit } from "./systemd.ts";

const analyze = await requireDebianPackage("systemd");
const program = [process.execPath, "/opt/claw port/main.js"];

test("the unit starts the hub with its home and configuration, escaped for systemd", () => {
  const text = renderSystemdUnit({
    program: ["/usr/bin/node", "/a b/main.js"],
    home: '/h/$x 100%"',
    config: "/c.json5",
  });
  expect(text).toContain(
    String.raw`ExecStart="/usr/bin/node" "/a b/main.js" "up" "--home" "/h/$$x 100%%\"" "--config" "/c.json5"`,
  );
});

test("the unit runs in the folder whose configuration it uses", () => {
  const text = renderSystemdUnit({ program, home: "/h", folder: "/my folder/100%" });
  expect(text).toContain("\nWorkingDirectory=/my folder/100%%\n");
  expect(text).not.toContain("--config");
});

test.each(["/h\nExecStartPre=/bin/evil", "/h\rx", "/h\u0085x", "/h\\"])(
  "no path can add a line to the unit: %j",
  (path) => {
    const message = "can't be in a systemd unit";
    for (const place of [{ home: path }, { home: "/h", config: path }, { home: "/h", folder: path }])
      expect(() => renderSystemdUnit({ program, ...place })).toThrow(message);
  },
);

test("a hub that stops because of its configuration is not restarted", () => {
  expect(renderSystemdUnit({ program, home: "/h" })).toContain("RestartPreventExitStatus=2 77 78");
});

test.skipIf(analyze === undefined)("systemd accepts the unit (needs the package systemd)", async () => {
  const folder = await mkdtemp(join(tmpdir(), "unit-"));
  try {
    const unit = join(folder, "clawport.service");
    await mkdir(join(folder, "home"));
    const home = join(folder, "home of 100% $me");
    await writeFile(unit, renderSystemdUnit({ program, home, config: "/c.json5", folder: "/usr/share" }));
    const { exit, out, err } = await runProgram("systemd-analyze", ["--user", "verify", unit], {
      env: { ...process.env, XDG_RUNTIME_DIR: folder },
    });
    expect({ exit, complaints: (out + err).split("\n").filter((line) => line.includes("clawport.service")) }).toEqual({
      exit: 0,
      complaints: [],
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
