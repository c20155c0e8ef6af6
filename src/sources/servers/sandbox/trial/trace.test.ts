import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { readTrace } from "./trace.ts";

const home = mkdtempSync(join(tmpdir(), "trace-"));
for (const folder of ["state", "kept", "data"]) mkdirSync(join(home, folder));
for (const file of ["data/a.txt", "state/token", "data/package.json"]) writeFileSync(join(home, file), "");
afterAll(() => rmSync(home, { recursive: true }));

const cage = { home, kept: join(home, "kept"), read: [], write: [], network: "none" as const };
const read = (...lines: string[]) => readTrace(lines.join("\n"), { cage, closedFolders: [join(home, "state")] });

test("a refused open is hidden or can't be written, and a refused connection is a socket", () => {
  const { refused, sockets } = read(
    `7 openat(AT_FDCWD, "${home}/data/a.txt", O_RDONLY|O_CLOEXEC) = -1 ENOENT (No such file or directory)`,
    `7 openat(AT_FDCWD, "${home}/data/new.txt", O_WRONLY|O_CREAT, 0666) = -1 ENOENT (No such file or directory)`,
    `7 openat(AT_FDCWD, "/usr/x.json", O_RDWR|O_CREAT, 0666) = -1 EROFS (Read-only file system)`,
    `7 connect(3, {sa_family=AF_UNIX, sun_path="/run/user/1/bus"}, 22) = -1 ENOENT (No such file or directory)`,
    `7 openat(AT_FDCWD, "${home}/data/a.txt", O_RDONLY) = 5`,
  );
  expect(refused).toEqual([
    { kind: "hidden", path: `${home}/data/a.txt` },
    { kind: "hidden", path: `${home}/data`, isWrite: true },
    { kind: "read-only", path: "/usr/x.json" },
  ]);
  expect(sockets).toEqual(["/run/user/1/bus"]);
});

test("a call that others interrupted is read as one", () => {
  const { refused } = read(
    `7 openat(AT_FDCWD, "${home}/data/a.txt", O_RDONLY <unfinished ...>`,
    `8 openat(AT_FDCWD, "/etc/hosts", O_RDONLY) = 4`,
    `7 <... openat resumed>)            = -1 ENOENT (No such file or directory)`,
  );
  expect(refused).toEqual([{ kind: "hidden", path: `${home}/data/a.txt` }]);
});

test("nothing is made of the state folder, of files that do not exist, or of what every program looks for", () => {
  const files = [`${home}/state/token`, "/no/such/file", `${home}/data/package.json`, "/sys/fs/cgroup/memory.max"];
  const lines = files.map((file) => `7 openat(AT_FDCWD, "${file}", O_RDONLY) = -1 ENOENT (No such file or directory)`);
  expect(read(...lines).refused).toEqual([]);
});
