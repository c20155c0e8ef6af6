import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempDisposable, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isWindows } from "../../../tests/support/cli/run-clawport.ts";
import { readRegularFile, readRegularFileNow } from "./read-regular-file.ts";

const makeFolder = () => mkdtempDisposable(join(tmpdir(), "clawport-"));

const ways: Record<string, typeof readRegularFile> = {
  "in the background": readRegularFile,
  "at once": async (path, maxBytes) => readRegularFileNow(path, maxBytes),
};

describe.each(Object.entries(ways))("%s", (_, read) => {
  test("a file is read up to the limit, and one that is a byte larger is refused", async () => {
    await using folder = await makeFolder();
    const path = join(folder.path, "file");
    for (const text of ["ü", "x".repeat(3_000_000)]) {
      await writeFile(path, text);
      const bytes = Buffer.byteLength(text);
      expect(await read(path, bytes)).toBe(text);
      await expect(read(path, bytes - 1)).rejects.toMatchObject({
        code: "config",
        message: expect.stringContaining(`${path} is larger than `) as string,
      });
    }
    await writeFile(path, "");
    expect(await read(path, 0)).toBe("");
  });

  test("a missing file is the system's own error", async () => {
    await using folder = await makeFolder();
    await expect(read(join(folder.path, "none"), 10)).rejects.toMatchObject({ code: "ENOENT" });
  });

  test.skipIf(isWindows)(
    "a pipe, a device, a socket and a folder are refused at once, also behind a link",
    async () => {
      await using folder = await makeFolder();
      const [pipe, socket] = [join(folder.path, "pipe"), join(folder.path, "socket")];
      execFileSync("mkfifo", [pipe]);
      const server = createServer().listen(socket);
      await once(server, "listening");
      const kinds = { "a named pipe": pipe, "a device": "/dev/zero", "a socket": socket, "a folder": folder.path };
      for (const [kind, path] of Object.entries(kinds)) {
        const link = join(folder.path, kind);
        await symlink(path, link);
        for (const each of [path, link])
          await expect(read(each, 10)).rejects.toMatchObject({
            code: "config",
            message: `${each} is ${kind}, but must be a regular file.`,
          });
      }
      server.close();
    },
  );

  test.skipIf(process.platform !== "linux")(
    "a file that has no size before it is read is bounded, too (Linux)",
    async () => {
      expect(await read("/proc/self/comm", 100)).not.toBe("");
      await expect(read("/proc/self/environ", 1)).rejects.toThrow(/is larger than 1 byte\./);
    },
  );
});
