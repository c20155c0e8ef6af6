import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type FakeGateway, startFakeGateway } from "../../../../tests/support/fake-gateway.ts";
import { until } from "../../../../tests/support/until.ts";
import { Fault } from "../../../core/fault.ts";
import { silentLog } from "../../../core/log.ts";
import type { Answer, Question } from "../../../mcp/messages/interim-messages.ts";
import { openGateway } from "../../../openclaw/open-gateway.ts";
import type { ReplyBackend, ReplyOptions } from "../reply-backend.ts";
import { describeReplies, quietOptions } from "../reply-backend.contract.ts";
import { createApprovalConnection } from "./answer-approvals.ts";
import { createGatewayBackend } from "./gateway-backend.ts";

let gateway: FakeGateway;
let backend: ReplyBackend;
let waitAnswer: () => object | undefined = () => undefined;
let refused: readonly string[] = [];
let artifacts: readonly object[] = [];

/** `approve <kind>` requests an approval and answers with the decision; `hang` and `fail` do as they say. */
beforeEach(async () => {
  refused = [];
  artifacts = [];
  gateway = await startFakeGateway(({ method, params }, { emit, finish }) => {
    if (refused.includes(method)) return new Error(`no ${method} here`);
    if (method === "agent.wait") return waitAnswer();
    if (method === "artifacts.list") return { artifacts };
    if (method === "exec.approval.resolve" || method === "plugin.approval.resolve")
      setImmediate(() => finish(params.id, `${method} ${params.decision}`));
    if (method === "question.resolve") setImmediate(() => finish(params.id, JSON.stringify(params)));
    if (method !== "chat.send") return undefined;
    const runId: string = params.idempotencyKey;
    const [word, kind] = (params.message as string).split(" ");
    if (word === "attach") {
      const data = { text: "Here", mediaUrls: ["/home/ann/a.png", "/home/ann/film.mp4"] };
      for (let told = 0; told < 2; told++) emit("agent", { runId, stream: "assistant", data });
    }
    if (word === "approve")
      setImmediate(() => emit(`${kind}.approval.requested`, approval(kind!, runId), `${kind}-approvals`));
    if (word === "fail") setImmediate(() => emit("chat", { runId, state: "error", errorMessage: "out of order" }));
    return word === "approve" || word === "fail" || word === "hang" ? { runId, status: "accepted" } : undefined;
  });
  const options = { address: { url: gateway.url, from: "the test" }, log: silentLog, version: "0" };
  const caps = ["exec-approvals", "plugin-approvals"];
  backend = createGatewayBackend({
    gateway: await openGateway(options),
    approvals: createApprovalConnection(() => openGateway({ ...options, client: { caps } }), 0),
  });
});
afterEach(async () => {
  await backend[Symbol.asyncDispose]();
  await gateway[Symbol.asyncDispose]();
});

function approval(kind: string, runId: string): object {
  const exec = { command: "rm -rf \u202Ebuild", cwd: "/home/ann", unavailableDecisions: ["allow-always"] };
  const plugin = { title: "Publish", description: "Posts to the blog", toolName: "blog__post" };
  return { id: runId, request: { runId, ...(kind === "exec" ? exec : plugin) } };
}

function order(message: string, more: Partial<ReplyOptions> = {}) {
  const ask = () => Promise.reject(new Fault("missing-capability", "no one can be asked here"));
  return backend.getReply({ message, sessionKey: "k", attachments: [] }, quietOptions({ ask, ...more }));
}

const sent = (method: string) => gateway.requests.filter((request) => request.method === method);

describe("as a backend", () => {
  describeReplies(async () => ({
    backend,
    quick: { message: "hello", answer: "ECHO:hello" },
    slow: () => ({
      message: "hang",
      running: until(() => sent("chat.send").length > 0),
      stopped: () => until(() => sent("chat.abort").length > 0),
    }),
    failing: { message: "fail", says: /OpenClaw could not answer: out of order/ },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }));
});

describe("a connection that is lost while OpenClaw works", () => {
  /** What `agent.wait` answers after the connection is back. */
  let runStatus: object = { status: "timeout" };

  async function loseConnection(isRestarted: boolean): Promise<{ reply: ReturnType<typeof order>; runId: string }> {
    const reply = order("hang", { canAsk: false });
    reply.catch(() => {});
    await until(() => sent("chat.send").length === 1);
    gateway.cut(isRestarted);
    await until(() => sent("agent.wait").length > 0);
    return { reply, runId: sent("chat.send")[0]!.params.idempotencyKey };
  }

  beforeEach(() => {
    runStatus = { status: "timeout" };
    waitAnswer = () => runStatus;
  });

  test("does no harm if the same gateway still works on the run", async () => {
    const { reply, runId } = await loseConnection(false);
    gateway.finish(runId, "done after all");
    expect((await reply).payloads[0]?.text).toBe("done after all");
  });

  test("does no harm if the run has ended meanwhile", async () => {
    runStatus = { status: "ok", terminalReply: { text: "done in the dark" } };
    expect((await (await loseConnection(false)).reply).payloads[0]?.text).toBe("done in the dark");
  });

  test("fails the order and says how to go on if the gateway was restarted", async () => {
    const { reply } = await loseConnection(true);
    await expect(reply).rejects.toThrow(/connection to OpenClaw's gateway was lost.*sessionKey "k"/);
  });
});

test("an attachment that the agent announced and OpenClaw did not deliver is named", async () => {
  artifacts = [{ id: "1", title: "a.png", mimeType: "image/png", sizeBytes: 3 }];
  const { payloads } = await order("attach", { canAsk: false });
  expect(payloads).toMatchObject([
    { text: "ECHO:attach", media: [{ name: "a.png", mimeType: "image/png", bytes: 3 }] },
    { text: expect.stringMatching(/^\[The agent attached \/home\/ann\/film\.mp4, but OpenClaw did not deliver it/) },
  ]);
});

test("the text of an answer arrives even if its attachments can't be listed", async () => {
  refused = ["artifacts.list", "chat.history"];
  expect(await order("hello", { canAsk: false })).toMatchObject({ payloads: [{ text: "ECHO:hello", media: [] }] });
});

describe("an approval that OpenClaw requests during an order", () => {
  test.each([
    ["exec", ["allow-once", "deny"], /run a command:\nrm -rf \\u\{202e\}build\nIn \/home\/ann/],
    ["plugin", ["allow-once", "allow-always", "deny"], /OpenClaw asks: Publish\nPosts to the blog\nTool: blog__post/],
  ])("is passed to the caller, and the decision is sent back (%s)", async (kind, choices, says) => {
    const asked: Question[] = [];
    const ask = async (question: Question): Promise<Answer> => {
      asked.push(question);
      return { action: "accept", content: { decision: "allow-once" } };
    };
    const { payloads } = await order(`approve ${kind}`, { ask });
    expect(payloads[0]?.text).toBe(`${kind}.approval.resolve allow-once`);
    expect(asked).toMatchObject([
      {
        method: "elicitation/create",
        params: {
          message: expect.stringMatching(says),
          requestedSchema: { properties: { decision: { enum: choices } } },
        },
      },
    ]);
  });

  test.each([
    ["is declined", async (): Promise<Answer> => ({ action: "decline" })],
    [
      "is answered with a choice that was not offered",
      async () => ({ action: "accept", content: { decision: "allow-always" } }),
    ],
    ["can't be put to anyone", () => Promise.reject(new Fault("missing-capability", "no"))],
  ])("is denied if the question %s", async (_, ask) => {
    expect((await order("approve exec", { ask })).payloads[0]?.text).toBe("exec.approval.resolve deny");
  });

  test("is denied if the allowed decisions can't be read", async () => {
    const reply = order("hang", { ask: async () => ({ action: "accept", content: { decision: "allow-once" } }) });
    await until(() => sent("chat.send").length === 1);
    const runId: string = sent("chat.send")[0]!.params.idempotencyKey;
    const request = { runId, command: "make", unavailableDecisions: null };
    gateway.emit("exec.approval.requested", { id: runId, request }, "exec-approvals");
    expect((await reply).payloads[0]?.text).toBe("exec.approval.resolve deny");
  });

  test("is left to others if it belongs to another run, or if the caller can't be asked", async () => {
    const ask = async (): Promise<Answer> => ({ action: "accept", content: { decision: "allow-once" } });
    const reply = order("hang", { ask });
    await until(() => sent("chat.send").length === 1);
    const runId: string = sent("chat.send")[0]!.params.idempotencyKey;
    const foreign = { id: "x", request: { runId: "another", sessionKey: "agent:main:other" } };
    gateway.emit("exec.approval.requested", foreign, "exec-approvals");
    gateway.emit("exec.approval.requested", approval("exec", runId), "exec-approvals");
    expect((await reply).payloads[0]?.text).toBe("exec.approval.resolve allow-once");
    expect(sent("exec.approval.resolve").map(({ params }) => params.id as unknown)).toEqual([runId]);
    await until(() => !gateway.caps().flat().includes("exec-approvals"), "no approvals are taken without an order");
    await order("hello", { canAsk: false });
    expect(gateway.caps().flat()).not.toContain("exec-approvals");
  });
});

describe("a question that the agent asks during an order", () => {
  const colour = { questionId: "colour", header: "Colour\u202E", question: "Which\u001B[2J one?" };
  const options = [{ label: "red\u200B" }, { label: "blue" }];

  /** Runs an order in which the agent asks this; returns how the question was resolved. */
  async function asking(payload: object, ask?: ReplyOptions["ask"]): Promise<unknown> {
    const reply = order("hang", ask === undefined ? {} : { ask });
    await until(() => sent("chat.send").length === 1);
    const runId: string = sent("chat.send")[0]!.params.idempotencyKey;
    gateway.emit("question.requested", { id: runId, runId, ...payload });
    const { id: _, ...resolution } = JSON.parse((await reply).payloads[0]?.text ?? "");
    return resolution;
  }

  test("is passed to the caller with hidden characters made visible, and the answer is the agent's own label", async () => {
    const asked: Question[] = [];
    const ask = async (question: Question): Promise<Answer> => {
      asked.push(question);
      return { action: "accept", content: { colour: "red\\u{200b}" } };
    };
    const resolution = await asking({ questions: [{ ...colour, options }] }, ask);
    expect(resolution).toEqual({ answers: { answers: { colour: ["red\u200B"] } } });
    const text = String.raw`Which\u{1b}[2J one?`;
    const field = { title: String.raw`Colour\u{202e}`, description: text, enum: [String.raw`red\u{200b}`, "blue"] };
    expect(asked).toMatchObject([{ params: { message: text, requestedSchema: { properties: { colour: field } } } }]);
  });

  test.each([
    ["asks for a secret", { questions: [{ ...colour, options: [], isSecret: true }] }],
    ["has no questions", {}],
    ["has questions that are not a list", { questions: 5 }],
    ["has a question that is not an object", { questions: [null] }],
    ["has a question without text", { questions: [{ questionId: "colour", options }] }],
    ["has choices that are not objects", { questions: [{ ...colour, options: [null, 5] }] }],
    ["has choices that look alike", { questions: [{ ...colour, options: [...options, { label: "red\\u{200b}" }] }] }],
    ["has a question without an id", { questions: [{ question: "Which one?", options }] }],
  ])("is withdrawn and not passed on if it %s", async (_, payload) => {
    let times = 0;
    const ask = async (): Promise<Answer> => {
      times++;
      return { action: "accept", content: {} };
    };
    expect(await asking(payload, ask)).toEqual({ cancel: true });
    expect(times).toBe(0);
  });

  test("is ignored if it has no id", async () => {
    const reply = order("hang");
    await until(() => sent("chat.send").length === 1);
    const runId: string = sent("chat.send")[0]!.params.idempotencyKey;
    gateway.emit("question.requested", { runId, questions: [{ ...colour, options }] });
    gateway.finish(runId, "done");
    expect((await reply).payloads[0]?.text).toBe("done");
    expect(sent("question.resolve")).toEqual([]);
  });
});
