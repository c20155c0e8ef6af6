import { mkdtempDisposable, readdir } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { halfBody, postHead, sendHalf } from "../../../tests/doors/half-requests.ts";
import { listenHere } from "../../../tests/support/listen-here.ts";
import { until } from "../../../tests/support/until.ts";
import { messageOf } from "../fault.ts";
import { createJsonSpiller, type JsonSpiller } from "../json-bytes.ts";
import { type BodyIntakeOptions, createBodyIntake } from "./body-intake.ts";

const kilo = 1024;

test("a body counts while it arrives, and no longer once it is complete or its client has gone", async () => {
  await using web = await serve({ memory: { max: 100 * kilo, maxOfOne: 100 * kilo } });
  using first = await sendHalf(web.port, `${postHead("/", "a", 20 * kilo)}"${" ".repeat(10 * kilo - 1)}`, 1);
  using second = await sendHalf(web.port, `${postHead("/", "a", 20 * kilo)}${" ".repeat(10 * kilo)}`, 1);
  await until(() => web.intake.bytesInMemory === 20 * kilo);
  first.sockets[0]!.write(`${" ".repeat(10 * kilo - 1)}"`);
  second.sockets[0]!.destroy();
  await until(() => web.intake.arriving === 0);
  expect(web.intake.bytesInMemory).toBe(0);
  expect(web.outcomes).toContainEqual(20 * kilo - 2);
});

test("strings in files count as such, the rest as memory", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "intake-"));
  const spiller = () => createJsonSpiller({ folder: folder.path, overBytes: kilo });
  await using web = await serve({ memory: rules(8 * kilo), disk: rules(64 * kilo), spiller });
  const text = `["${"x".repeat(40 * kilo)}","${"y".repeat(100)}`;
  using half = await sendHalf(web.port, postHead("/", "a", 90 * kilo) + text, 1);
  await until(() => web.intake.bytesInMemory > 0);
  expect(web.intake.bytesInMemory).toBeLessThan(kilo);
  half.sockets[0]!.write(`","${"z".repeat(40 * kilo)}`);
  await until(() => web.outcomes.length === 1);
  expect(web.outcomes[0]).toMatch(/^Requests of this caller that are still arriving take up too much/);
  await until(async () => (await readdir(folder.path)).length === 0);
  expect(web.intake.bytesInMemory).toBe(0);
});

test("many short strings of a spilled body are limited as memory", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "intake-"));
  const spiller = () => createJsonSpiller({ folder: folder.path, overBytes: kilo });
  await using web = await serve({ memory: rules(8 * kilo), spiller });
  using _ = await sendHalf(web.port, `${postHead("/", "a", 90 * kilo)}[${`"${"x".repeat(500)}",`.repeat(40)}`, 1);
  await until(() => web.outcomes.length === 1);
  expect(web.outcomes[0]).toMatch(/too much memory/);
});

test("a slow body is given up, and counts no longer", async () => {
  await using web = await serve({ timeoutMs: 50 });
  using _ = await sendHalf(web.port, halfBody("/", "a"), 5);
  await until(() => web.outcomes.length === 5);
  expect(new Set(web.outcomes)).toEqual(
    new Set(["The request did not arrive within 1 s. Send at least 64 KB a second."]),
  );
  expect([web.intake.arriving, web.intake.bytesInMemory]).toEqual([0, 0]);
});

function rules(max: number) {
  return { max, maxOfOne: max };
}

/** A server that reads every body for one holder; its outcomes are the length of a text, or the message of a fault. */
async function serve({ spiller, ...options }: BodyIntakeOptions & { readonly spiller?: () => JsonSpiller }) {
  const intake = createBodyIntake(options);
  const outcomes: unknown[] = [];
  const server = createServer((request, response) => void take(request, response));
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const spilling = spiller?.();
    try {
      const body = await intake.read(request, { holder: "a", maxBytes: 100 * kilo, spiller: spilling });
      outcomes.push(String(body).length);
    } catch (error) {
      outcomes.push(messageOf(error));
    }
    spilling?.dispose();
    response.end();
  };
  const listening = await listenHere(server);
  return {
    port: listening.port,
    intake,
    outcomes,
    async [Symbol.asyncDispose]() {
      intake.close();
      await listening[Symbol.asyncDispose]();
    },
  };
}
