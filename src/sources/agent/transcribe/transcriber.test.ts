import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text as readText } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { pidsRunning } from "../../../../tests/support/running-commands.ts";
import { findSecrets } from "../../../../tests/support/find-secrets.ts";
import { until } from "../../../../tests/support/until.ts";
import type { TranscriptionConfig } from "../../../core/config/agent-config.ts";
import { silentLog } from "../../../core/log.ts";
import type { Env } from "../../../core/process/child-env.ts";
import type { Attachment } from "../media/check-media.ts";
import { createTranscriber, transcribeAudio } from "./transcriber.ts";

let folder = "";
const never = new AbortController().signal;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "transcriber-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const open = (config: TranscriptionConfig, env: Env = { PATH: process.env["PATH"] }) =>
  createTranscriber({ config, env, folder });

/** A program that gets the path as its last argument. */
const program = (code: string): TranscriptionConfig => ({ command: [process.execPath, "-e", code, "{file}"] });

function file(name: string, mimeType: string, content = "hello there"): Attachment {
  const base64 = Buffer.from(content).toString("base64");
  return { kind: "file", name, mimeType, bytes: content.length, base64: () => Promise.resolve(base64) };
}

describe("a command", () => {
  test("gets the audio in a file with a generated name, which is removed afterwards", async () => {
    const code = `const [path] = process.argv.slice(1); console.log(require("fs").readFileSync(path, "utf8"), path)`;
    const transcript = await open(program(code)).transcribe(file("$(rm -rf x); voice.mp3", "audio/mpeg"), never);
    expect(transcript).toMatch(/^hello there .*audio-[0-9a-f-]+\.mp3\n$/);
    expect(await readdir(folder)).toEqual([]);
  });

  test("is started without a shell, and sees only the keys it was given", async () => {
    const config = {
      command: [
        process.execPath,
        "-e",
        "console.log(process.argv[1], process.env.KEY, process.env.SECRET)",
        "$HOME;{file}",
      ],
      env: { KEY: "given" },
    };
    const transcript = await open(config, { SECRET: "ours" }).transcribe(file("a.wav", "audio/wav"), never);
    expect(transcript).toMatch(/^\$HOME;.*\.wav given undefined\n$/);
  });

  test("that fails or does not exist is reported with its output", async () => {
    const failing = open(program(`console.error("no model found"); process.exit(3)`));
    await expect(failing.transcribe(file("a.wav", "audio/wav"), never)).rejects.toThrow(/code 3: "no model found"/);
    const telling = open(program(`console.error("not with sk-abcdefghijklmnop1234"); process.exit(3)`));
    await expect(telling.transcribe(file("a.wav", "audio/wav"), never)).rejects.toThrow(/"not with \[redacted\]"/);
    const missing = open({ command: ["/no/such/program", "{file}"] });
    await expect(missing.transcribe(file("a.wav", "audio/wav"), never)).rejects.toThrow(/could not be started/);
  });

  test("that writes without end is stopped", async () => {
    const endless = open(program(`setInterval(() => process.stdout.write("x".repeat(100000)), 1)`));
    await expect(endless.transcribe(file("a.wav", "audio/wav"), never)).rejects.toThrow(/more than 1048576 bytes/);
  });

  test("that takes too long is stopped", async () => {
    const slow = open({ ...program("setInterval(() => {}, 1000)"), timeoutMs: 50 });
    await expect(slow.transcribe(file("a.wav", "audio/wav"), never)).rejects.toMatchObject({ code: "timeout" });
  });

  test.each([
    ["of its process group", false],
    ["in a session of its own", true],
  ])("of an order that was cancelled is stopped with what it has started %s", async (_, detached) => {
    const mark = randomUUID();
    const cancel = new AbortController();
    const result = open(program(`${startsAnother(mark, { detached })} setInterval(() => {}, 1000)`)).transcribe(
      file("a.wav", "audio/wav"),
      cancel.signal,
    );
    result.catch(() => {});
    await until(() => pidsRunning(mark).length > 0, "the command runs");
    cancel.abort();
    await expect(result).rejects.toMatchObject({ code: "cancelled" });
    expect(pidsRunning(mark)).toEqual([]);
  });

  test("that has ended does not wait for what it started, and leaves nothing of it", async () => {
    const mark = randomUUID();
    const code = `${startsAnother(mark, { detached: true, stdio: "inherit" })} console.log("said"); process.exit()`;
    const transcript = await open(program(code)).transcribe(file("a.wav", "audio/wav"), never);
    expect(transcript).toBe("said\n");
    expect(pidsRunning(mark)).toEqual([]);
  });
});

/** Code that starts a process without an end, which has the mark in its command line. */
function startsAnother(mark: string, options: object): string {
  const args = `process.execPath, ["-e", "setInterval(() => {}, 1000)", ${JSON.stringify(mark)}]`;
  return `require("child_process").spawn(${args}, ${JSON.stringify(options)});`;
}

describe("a provider", () => {
  let server: Server;
  let got = { url: "", auth: "", body: "" };
  let answer = { status: 200, body: JSON.stringify({ text: "so it was said" }) };

  beforeEach(async () => {
    answer = { status: 200, body: JSON.stringify({ text: "so it was said" }) };
    server = createServer((request, response) => {
      const { url = "", headers } = request;
      const reply = async (): Promise<void> => {
        got = { url, auth: headers.authorization ?? "", body: await readText(request) };
        response.writeHead(answer.status).end(answer.body);
      };
      void reply();
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
  });
  afterEach(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });

  const provider = () => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/`;
    return open({ url, model: "whisper-large", apiKey: "house-key" });
  };

  test("gets the audio as a form and returns the transcript", async () => {
    expect(await provider().transcribe(file("voice.ogg", "audio/ogg"), never)).toBe("so it was said");
    expect(got).toMatchObject({ url: "/v1/audio/transcriptions", auth: "Bearer house-key" });
    expect(got.body).toMatch(/filename="voice.ogg"\r\nContent-Type: audio\/ogg\r\n\r\nhello there/);
    expect(got.body).toMatch(/name="model"\r\n\r\nwhisper-large/);
  });

  test("whose address holds keys gets them, and no message shows one", async () => {
    const { port } = server.address() as AddressInfo;
    const url = `http://who:pass%2Fword@127.0.0.1:${port}/v1?access=query%2Fkey`;
    expect(await open({ url }).transcribe(file("a.ogg", "audio/ogg"), never)).toBe("so it was said");
    const auth = `Basic ${Buffer.from("who:pass/word").toString("base64")}`;
    expect(got).toMatchObject({ url: "/v1/audio/transcriptions?access=query%2Fkey", auth });
    answer = { status: 401, body: `${got.url} ${got.auth} pass/word query/key` };
    const failed = await open({ url }).transcribe(file("a.ogg", "audio/ogg"), never).catch(String);
    expect(failed).toContain(`provider at http://127.0.0.1:${port}/v1 answered 401: "/v1/audio/transcriptions?access=`);
    expect(findSecrets({ failed }, ["pass/word", "query/key"])).toEqual([]);
  });

  test("that fails or returns no transcript is reported with its address", async () => {
    answer = { status: 401, body: "wrong key" };
    await expect(provider().transcribe(file("a.ogg", "audio/ogg"), never)).rejects.toThrow(/answered 401: "wrong key"/);
    for (const key of ["sk-abcdefghijklmnop1234", "house-key"]) {
      answer = { status: 401, body: `not with ${key}` };
      await expect(provider().transcribe(file("a.ogg", "audio/ogg"), never)).rejects.toThrow(/"not with \[redacted\]"/);
    }
    answer = { status: 200, body: "[]" };
    await expect(provider().transcribe(file("a.ogg", "audio/ogg"), never)).rejects.toThrow(/without a transcript/);
    answer = { status: 200, body: "x".repeat(1_048_577) };
    await expect(provider().transcribe(file("a.ogg", "audio/ogg"), never)).rejects.toThrow(/provider.* more than 1 MB/);
  });
});

describe("the attachments of an order", () => {
  const options = { signal: never, log: silentLog, onActivity: () => {} };

  test("audio becomes a text file, all others stay as they are", async () => {
    const video = file("clip.mp4", "video/mp4");
    const [first, second, third] = await transcribeAudio(
      [file("voice.mp3", "audio/mpeg"), video, file("voice.mp3.transcript.txt", "text/plain")],
      { transcribe: async () => " what was said \n" },
      options,
    );
    expect(first).toMatchObject({ name: "voice.mp3.transcript-2.txt", mimeType: "text/plain", bytes: 13 });
    expect(Buffer.from(await first!.base64(), "base64").toString()).toBe("what was said");
    expect(second).toBe(video);
    expect(third?.name).toBe("voice.mp3.transcript.txt");
  });

  test.each([
    ["can't be transcribed", () => Promise.reject(new Error("no model"))],
    ["holds no speech", async () => "  "],
  ])("audio that %s is sent as a file", async (_, transcribe) => {
    const audio = file("voice.mp3", "audio/mpeg");
    expect(await transcribeAudio([audio], { transcribe }, options)).toEqual([audio]);
  });

  test("a cancelled order is not sent on", async () => {
    const cancel = new AbortController();
    const transcribe = async () => {
      cancel.abort(new Error("cancelled"));
      throw new Error("killed");
    };
    const result = transcribeAudio(
      [file("a.mp3", "audio/mpeg")],
      { transcribe },
      { ...options, signal: cancel.signal },
    );
    await expect(result).rejects.toThrow("cancelled");
  });
});
