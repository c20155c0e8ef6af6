import { Fault } from "../../core/fault.ts";
import { isRecord } from "../../core/is-record.ts";
import type { SpilledText } from "../../mcp/json-spiller.ts";
import { checkMedia, type GivenMedia } from "./check-media.ts";
import type { Attachment } from "./attachment.ts";
import { mediaInFile, mediaInMemory, readSpilledText } from "./media-data.ts";

/** An order with nothing wrong about it. */
export interface Order {
  readonly message: string;
  /** Where the conversation goes on; nothing where this is one of its own. */
  readonly sessionKey: string | undefined;
  readonly attachments: readonly Attachment[];
}

/** The text in a file that a mark in the arguments stands for, where the door puts long texts into files. */
export type FindSpilled = (text: string) => SpilledText | undefined;

const longestKey = 256;

/** Checks the arguments of a call. A door may have checked their schema already, but not all of them do. */
export async function parseOrder(args: unknown, spilled: FindSpilled = () => undefined): Promise<Order> {
  if (!isRecord(args)) throw wrong("the arguments have to be an object");
  const { message } = args;
  if (typeof message !== "string") throw wrong('"message" has to be a text');
  const long = spilled(message);
  const attachments = await checkMedia({
    image: await readList(args, "images", spilled),
    file: await readList(args, "files", spilled),
  });
  return {
    message: long ? await readSpilledText(long) : message,
    sessionKey: parseSessionKey(args["sessionKey"], spilled),
    attachments,
  };
}

function parseSessionKey(given: unknown, spilled: FindSpilled): string | undefined {
  if (given === undefined || given === null) return undefined;
  if (typeof given !== "string") throw wrong('"sessionKey" has to be a text');
  const length = spilled(given)?.bytes ?? given.length;
  if (length > longestKey) throw wrong(`"sessionKey" may have ${longestKey} characters, and it has ${length}`);
  if (given.trim() === "") throw wrong('"sessionKey" is empty: leave it out for a conversation of its own');
  return given;
}

async function readList(
  args: Record<string, unknown>,
  list: "images" | "files",
  spilled: FindSpilled,
): Promise<readonly GivenMedia[]> {
  const given = args[list];
  if (given === undefined || given === null) return [];
  if (!Array.isArray(given)) throw wrong(`"${list}" has to be a list`);
  return Promise.all(given.map((item: unknown, index) => readItem(item, `${list}[${index}]`, spilled)));
}

async function readItem(item: unknown, place: string, spilled: FindSpilled): Promise<GivenMedia> {
  if (!isRecord(item)) throw wrong(`${place} has to be an object with data and mimeType`);
  const { data, mimeType, filename } = item;
  if (typeof data !== "string") throw wrong(`${place}.data has to be a text`);
  if (typeof mimeType !== "string") throw wrong(`${place}.mimeType has to be a text`);
  if (filename !== undefined && filename !== null && typeof filename !== "string")
    throw wrong(`${place}.filename has to be a text`);
  const file = spilled(data);
  return {
    data: file ? await mediaInFile(file) : mediaInMemory(data),
    mimeType,
    filename: typeof filename === "string" && !spilled(filename) ? filename : undefined,
  };
}

function wrong(what: string): Fault {
  return new Fault("bad-params", `Nothing was sent to OpenClaw: ${what}.`);
}
