import { expect, test } from "vitest";
import { createRunSenders } from "./run-senders.ts";
import { createTicketRegistry, withoutTicket } from "./tickets.ts";

const event = { toolName: "notes__write", toolCallId: "call_1", runId: "run_1", params: {} };
const context = { agentId: "main", sessionKey: "agent:main:x", runId: "run_1" };
const isWrite = (name: string) => name === "notes__write";

test("a ticket says who asked, and works once", () => {
  const senders = createRunSenders();
  const desk = createTicketRegistry(senders);
  senders.noteRun("run_1", "agent:main:x", { channel: "telegram", senderId: "7", senderIsOwner: true });
  const ticket = desk.issue(event, context);
  expect(desk.find(event)?.caller).toEqual({
    agent: "main",
    sessionKey: "agent:main:x",
    sender: "telegram:7",
    isOwner: true,
  });
  expect(desk.redeem(ticket, isWrite)?.caller.agent).toBe("main");
  expect(desk.redeem(ticket, isWrite)).toBeUndefined();
  expect(desk.find(event)).toBeUndefined();
});

test("a ticket for another tool is worth nothing, and used up", () => {
  const desk = createTicketRegistry(createRunSenders());
  const ticket = desk.issue(event, context);
  expect(desk.redeem(ticket, () => false)).toBeUndefined();
  expect(desk.redeem(ticket, isWrite)).toBeUndefined();
});

test("a run whose sender is not known has none, and is not the owner's", () => {
  const desk = createTicketRegistry(createRunSenders());
  expect(desk.redeem(desk.issue(event, context), isWrite)?.caller).toEqual({
    agent: "main",
    sessionKey: "agent:main:x",
    isOwner: false,
  });
});

test("tickets expire, and guesses find nothing", () => {
  let now = 0;
  const desk = createTicketRegistry(createRunSenders(), () => now);
  const ticket = desk.issue(event, context);
  now = 3_600_000;
  expect(desk.redeem(ticket, isWrite)).toBeUndefined();
  for (const guess of [undefined, 7, "", "A".repeat(22)]) expect(desk.redeem(guess, isWrite)).toBeUndefined();
});

test("no more tickets are kept than a gateway can use", () => {
  const desk = createTicketRegistry(createRunSenders());
  const first = desk.issue(event, context);
  for (let call = 0; call < 10_001; call++) desk.issue({ ...event, toolCallId: `many_${call}` }, context);
  expect(desk.redeem(first, isWrite)).toBeUndefined();
});

test("the arguments go on without the ticket", () => {
  expect(withoutTicket({ a: "x", _clawport: "t" })).toEqual({ a: "x" });
});
