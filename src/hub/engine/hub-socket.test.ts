import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, rm, stat, symlink, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Home, openHome } from "../../core/files/home.ts";
import { readText, sendHttp } from "../../core/http/send-http.ts";
import { createSocketAgent, judgeSocketFolder } from "../../core/http/socket-agent.ts";
import { listenForOwner } from "./hub-socket.ts";

let folder: string;
const servers: Server[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sock-"));
});
afterEach(async () => {
  await closeAll();
  await rm(folder, { recursive: true, force: true });
});

async function closeAll(): Promise<void> {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  }
}

async function listenIn(home: Home): Promise<string> {
  const server = createServer((_, response) => response.end("ok"));
  const path = await listenForOwner(server, home, { XDG_RUNTIME_DIR: folder });
  servers.push(server);
  return path;
}

async function ask(path: string, home: Home): Promise<string> {
  const agent = createSocketAgent({ path, home: home.path });
  const response = await sendHttp({ url: new URL("http://127.0.0.1:1/"), method: "GET", headers: {}, agent });
  return readText(response, 100).finally(() => agent.destroy());
}

const longName = "a-rather-long-name-of-a-folder/".repeat(4);

test.skipIf(process.platform === "win32")("the socket is in the state folder, for its owner alone", async () => {
  const home = await openHome(join(folder, "home"));
  // A hub that was killed leaves its socket.
  await writeFile(home.file("hub.sock"), "");
  const path = await listenIn(home);
  expect(path).toBe(home.file("hub.sock"));
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await ask(path, home)).toBe("ok");
});

test.skipIf(process.platform === "win32")("with a long path it is in a short folder of the owner", async () => {
  const home = await openHome(join(folder, longName));
  const path = await listenIn(home);
  expect(dirname(dirname(path))).toBe(folder);
  expect((await stat(dirname(path))).mode & 0o777).toBe(0o700);
  expect(await ask(path, home)).toBe("ok");
  await closeAll();
  expect(await listenIn(home), "the same for each start").toBe(path);
  await chmod(dirname(path), 0o755);
  await expect(ask(path, home)).rejects.toMatchObject({ code: "denied" });
});

test.skipIf(process.platform === "win32")("a folder that another user prepared is not used", async () => {
  const home = await openHome(join(folder, longName));
  const usual = dirname(await listenIn(home));
  await closeAll();
  await rm(usual, { recursive: true });
  await mkdir(join(folder, "theirs"), { mode: 0o777 });
  await symlink(join(folder, "theirs"), usual);
  const path = await listenIn(home);
  expect(dirname(path)).not.toBe(usual);
  expect(existsSync(join(folder, "theirs", "hub.sock"))).toBe(false);
});

test("the folder of a socket is judged by its kind, owner and mode", () => {
  const facts = { isDirectory: () => true, uid: 7, mode: 0o40700 };
  expect(judgeSocketFolder(facts, 7)).toBeUndefined();
  expect(judgeSocketFolder({ ...facts, isDirectory: () => false }, 7)).toContain("not a folder");
  expect(judgeSocketFolder(facts, 8)).toContain("another user");
  expect(judgeSocketFolder({ ...facts, mode: 0o40710 }, 7)).toContain("other users");
});
