import { Fault } from "../../../core/fault.ts";
import { isRecord } from "../../../core/is-record.ts";
import type { SpilledText } from "../../../core/json-bytes.ts";
import { base64InFile, base64InMemory, readSpilledText } from "../media/base64-text.ts";
import { type Attachment, checkMedia, type MediaArgument } from "../media/check-media.ts";

/** A valid order. */
export interface Order {
  readonly message: string;
  /** The conversation to continue; undefined for a new one. */
  readonly sessionKey: string | undefined;
  readonly attachments: readonly Attachment[];
}

/** Finds the file that holds an argument, if the door wrote long texts to files and left a mark in the arguments. */
export type FindSpilledText = (text: string) => SpilledText | undefined;

const maxKeyLength = 256;

/** More would only fill a model's context. */
const maxProblems = 10;

/** Collects a problem, so that all of them are reported at once. */
type ReportProblem = (problem: string) => void;

/** Checks the arguments of a call. Not every door has checked them against the schema. */
export async function parseOrder(args: unknown, spilled: FindSpilledText = () => undefined): Promise<Order> {
  if (!isRecord(args)) throw badOrder(["the arguments must be an object"]);
  const problems: string[] = [];
  const report: ReportProblem = (problem) => void problems.push(problem);
  const message = readText(args["message"], '"message"', report);
  const sessionKey = readSessionKey(args["sessionKey"], spilled, report);
  const images = await readList(args, "images", spilled, report);
  const files = await readList(args, "files", spilled, report);
  if (problems.length > 0) throw badOrder(problems);
  const attachments = await checkMedia({ image: images, file: files });
  const file = spilled(message);
  return { message: file ? await readSpilledText(file) : message, sessionKey, attachments };
}

function readText(given: unknown, place: string, report: ReportProblem): string {
  if (typeof given === "string") return given;
  report(`${place} must be a string`);
  return "";
}

function readSessionKey(given: unknown, spilled: FindSpilledText, report: ReportProblem): string | undefined {
  if (given === undefined || given === null) return undefined;
  if (typeof given !== "string") {
    report('"sessionKey" must be a string');
    return undefined;
  }
  const length = spilled(given)?.bytes ?? given.length;
  if (length > maxKeyLength) report(`"sessionKey" must have at most ${maxKeyLength} characters, but has ${length}`);
  if (given.trim() === "") report('"sessionKey" is empty: leave it out to start a new conversation');
  return given;
}

async function readList(
  args: Record<string, unknown>,
  list: "images" | "files",
  spilled: FindSpilledText,
  report: ReportProblem,
): Promise<readonly MediaArgument[]> {
  const given = args[list] ?? [];
  if (!Array.isArray(given)) {
    report(`"${list}" must be a list`);
    return [];
  }
  const items = given.map((item: unknown, index) => readItem(item, `${list}[${index}]`, spilled, report));
  return (await Promise.all(items)).flat();
}

/** Empty if the item is not an object. */
async function readItem(
  item: unknown,
  place: string,
  spilled: FindSpilledText,
  report: ReportProblem,
): Promise<MediaArgument[]> {
  if (!isRecord(item)) {
    report(`${place} must be an object with data and mimeType`);
    return [];
  }
  const data = readText(item["data"], `${place}.data`, report);
  const mimeType = readText(item["mimeType"], `${place}.mimeType`, report);
  const filename = readText(item["filename"] ?? "", `${place}.filename`, report);
  const file = spilled(data);
  return [
    {
      data: file ? await base64InFile(file) : base64InMemory(data),
      mimeType,
      filename: spilled(filename) ? undefined : filename,
    },
  ];
}

function badOrder(problems: readonly string[]): Fault {
  const more = problems.length - maxProblems;
  const listed = problems.slice(0, maxProblems).join("; ");
  return new Fault("bad-params", `Nothing was sent to OpenClaw: ${listed}${more > 0 ? `; and ${more} more` : ""}.`);
}
