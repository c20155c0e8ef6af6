import { expect, test } from "vitest";
import { createRunSenders } from "./run-senders.ts";

const group = "agent:main:telegram:group:-1007";
const ada = { channel: "telegram", senderId: "1", senderIsOwner: true };

test("a run that one person wrote into has a sender and an owner", () => {
  const senders = createRunSenders();
  senders.noteMessage(group, "telegram", "1");
  senders.noteRun("a", group, ada);
  senders.noteMessage(group, "telegram", "1");
  expect(senders.of("a", group)).toEqual({ sender: "telegram:1", isOwner: true });
});

test("a message of another person while the run goes on takes both away", () => {
  const senders = createRunSenders();
  senders.noteMessage(group, "telegram", "1");
  senders.noteRun("a", group, ada);
  senders.noteMessage(group, "telegram", "2");
  expect(senders.of("a", group)).toEqual({ senders: ["telegram:1", "telegram:2"], isOwner: false });
});

test("messages that were collected before the run began count, older ones do not", () => {
  const senders = createRunSenders();
  senders.noteMessage(group, "telegram", "1");
  senders.noteRun("a", group, ada);
  senders.noteMessage(group, "telegram", "2");
  senders.noteMessage(group, "telegram", "1");
  senders.noteRun("b", group, ada);
  expect(senders.of("b", group)).toMatchObject({ isOwner: false });
  senders.noteMessage(group, "telegram", "1");
  senders.noteRun("c", group, ada);
  expect(senders.of("c", group)).toEqual({ sender: "telegram:1", isOwner: true });
});

test("a message counts for every run of the chat that may still go on", () => {
  const senders = createRunSenders();
  senders.noteMessage(group, "telegram", "1");
  senders.noteRun("a", group, ada);
  senders.noteRun("beside it", group, undefined);
  senders.noteMessage(group, "telegram", "2");
  expect(senders.of("a", group)).toEqual({ senders: ["telegram:1", "telegram:2"], isOwner: false });
});

test("a group in which no message was seen may be mixed; a chat of two is not", () => {
  const senders = createRunSenders();
  senders.noteRun("a", group, ada);
  expect(senders.of("a", group)).toEqual({ senders: ["telegram:1"], isOwner: false });
  const direct = "agent:main:telegram:default:direct:1";
  senders.noteRun("b", direct, ada);
  expect(senders.of("b", direct)).toEqual({ sender: "telegram:1", isOwner: true });
});

test("two people who share a chat of their own are told apart", () => {
  const senders = createRunSenders();
  const main = "agent:main:main";
  senders.noteMessage(main, "telegram", "1");
  senders.noteRun("a", main, ada);
  senders.noteMessage(main, "telegram", "2");
  expect(senders.of("a", main)).toMatchObject({ isOwner: false });
});

test("a run without a message, such as a scheduled one, has no sender", () => {
  expect(createRunSenders().of("a", "agent:main:cron:job:run:1")).toEqual({ isOwner: false });
  expect(createRunSenders().of(undefined, undefined)).toEqual({ isOwner: false });
});
