import { Fault } from "../../../core/fault.ts";
import { isRecord } from "../../../core/is-record.ts";
import type { SpilledText } from "../../../core/json-bytes.ts";
import { base64InFile, base64InMemory, readSpilledText } from "../media/base64-text.ts";
import { type Attachment, checkMedia, type MediaArgument } from "../media/check-media.ts";

/** An order with nothing wrong about it. */
export interface Order {
  readonly message: string;
  /** Where the conversation goes on; nothing where this is one of its own. */
  readonly sessionKey: string | undefined;
  readonly attachments: readonly Attachment[];
}

/** The text in a file that a mark in the arguments stands for, where the door puts long texts into files. */
export type FindSpilledText = (text: string) => SpilledText | undefined;

const maxKeyLength = 256;

/** More of them would only cost a model its context. */
const maxProblems = 10;

/** Takes what is wrong and goes on: nobody should have to find out field by field. */
type ReportProblem = (problem: string) => void;

/** Checks the arguments of a call. A door may have checked their schema already, but not all of them do. */
export async function parseOrder(args: unknown, spilled: FindSpilledText = () => undefined): Promise<Order> {
  if (!isRecord(args)) throw wrong(["the arguments have to be an object"]);
  const problems: string[] = [];
  const say: ReportProblem = (problem) => void problems.push(problem);
  const message = readText(args["message"], '"message"', say);
  const sessionKey = readSessionKey(args["sessionKey"], spilled, say);
  const image = await readList(args, "images", spilled, say);
  const file = await readList(args, "files", spilled, say);
  if (problems.length > 0) throw wrong(problems);
  const attachments = await checkMedia({ image, file });
  const long = spilled(message);
  return { message: long ? await readSpilledText(long) : message, sessionKey, attachments };
}

function readText(given: unknown, place: string, say: ReportProblem): string {
  if (typeof given === "string") return given;
  say(`${place} has to be a text`);
  return "";
}

function readSessionKey(given: unknown, spilled: FindSpilledText, say: ReportProblem): string | undefined {
  if (given === undefined || given === null) return undefined;
  if (typeof given !== "string") {
    say('"sessionKey" has to be a text');
    return undefined;
  }
  const length = spilled(given)?.bytes ?? given.length;
  if (length > maxKeyLength) say(`"sessionKey" may have ${maxKeyLength} characters, and it has ${length}`);
  if (given.trim() === "") say('"sessionKey" is empty: leave it out for a conversation of its own');
  return given;
}

async function readList(
  args: Record<string, unknown>,
  list: "images" | "files",
  spilled: FindSpilledText,
  say: ReportProblem,
): Promise<readonly MediaArgument[]> {
  const given = args[list] ?? [];
  if (!Array.isArray(given)) {
    say(`"${list}" has to be a list`);
    return [];
  }
  const items = given.map((item: unknown, index) => readItem(item, `${list}[${index}]`, spilled, say));
  return (await Promise.all(items)).flat();
}

/** None where it is no item at all. */
async function readItem(
  item: unknown,
  place: string,
  spilled: FindSpilledText,
  say: ReportProblem,
): Promise<MediaArgument[]> {
  if (!isRecord(item)) {
    say(`${place} has to be an object with data and mimeType`);
    return [];
  }
  const data = readText(item["data"], `${place}.data`, say);
  const mimeType = readText(item["mimeType"], `${place}.mimeType`, say);
  const filename = readText(item["filename"] ?? "", `${place}.filename`, say);
  const file = spilled(data);
  return [
    {
      data: file ? await base64InFile(file) : base64InMemory(data),
      mimeType,
      filename: spilled(filename) ? undefined : filename,
    },
  ];
}

function wrong(problems: readonly string[]): Fault {
  const more = problems.length - maxProblems;
  const told = problems.slice(0, maxProblems).join("; ");
  return new Fault("bad-params", `Nothing was sent to OpenClaw: ${told}${more > 0 ? `; and ${more} more` : ""}.`);
}
