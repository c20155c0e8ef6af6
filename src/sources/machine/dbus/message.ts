import { Fault } from "../../../core/fault.ts";
import { DbusReader, DbusWriter, maxDbusMessageBytes } from "./marshal.ts";

/** A message of D-Bus, either way. */
export interface DbusMessage {
  readonly type: "call" | "return" | "error" | "signal";
  readonly serial: number;
  readonly path?: string | undefined;
  readonly interface?: string | undefined;
  readonly member?: string | undefined;
  readonly errorName?: string | undefined;
  readonly replySerial?: number | undefined;
  readonly destination?: string | undefined;
  readonly sender?: string | undefined;
  readonly signature?: string | undefined;
  readonly body?: readonly unknown[] | undefined;
  /** For a call: whether nobody waits for its answer. */
  readonly noReply?: boolean | undefined;
}

/** NO_REPLY_EXPECTED, of the flags of a message. */
const noReplyFlag = 1;

const types = ["call", "return", "error", "signal"] as const;

/** Names and types of the header fields, by their number. */
const fields = [
  ["path", "o"],
  ["interface", "s"],
  ["member", "s"],
  ["errorName", "s"],
  ["replySerial", "u"],
  ["destination", "s"],
  ["sender", "s"],
  ["signature", "g"],
] as const;

export function encodeDbusMessage(message: DbusMessage): Buffer {
  const { type, serial, signature = "", body = [] } = message;
  const content = new DbusWriter();
  content.writeAll(signature, body);
  const headers = fields.flatMap(([name, kind], index) => {
    const value = name === "signature" && signature === "" ? undefined : message[name];
    return value === undefined ? [] : [[index + 1, { signature: kind, value }]];
  });
  const writer = new DbusWriter();
  const flags = message.noReply === true ? noReplyFlag : 0;
  const start = ["l".charCodeAt(0), types.indexOf(type) + 1, flags, 1, content.length, serial, headers];
  writer.writeAll("yyyyuua(yv)", start);
  writer.align(8);
  return Buffer.concat([writer.bytes(), content.bytes()]);
}

/** How long the message at the beginning of the bytes is; undefined if too few bytes have arrived to tell. */
export function dbusMessageLength(bytes: Buffer): number | undefined {
  if (bytes.length < 16) return undefined;
  const little = bytes[0] === "l".charCodeAt(0);
  const [bodyLength, headerLength] = [4, 12].map((at) =>
    little ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at),
  ) as [number, number];
  const length = 16 + Math.ceil(headerLength / 8) * 8 + bodyLength;
  if (length > maxDbusMessageBytes) throw new Fault("too-large", "D-Bus sent a message that is too large.");
  return length;
}

export function decodeDbusMessage(bytes: Buffer): DbusMessage {
  const reader = new DbusReader(bytes, bytes[0] === "l".charCodeAt(0));
  const [, kind, flags, , , serial, headers] = reader.readAll("yyyyuua(yv)");
  reader.align(8);
  const found = Object.fromEntries(
    (headers as [number, unknown][]).flatMap(([code, value]) => {
      const field = fields[code - 1];
      return field === undefined ? [] : [[field[0], value]];
    }),
  ) as Partial<DbusMessage>;
  const type = types[(kind as number) - 1];
  if (type === undefined) throw new Fault("bad-request", "D-Bus: unknown kind of message.");
  const noReply = ((flags as number) & noReplyFlag) !== 0;
  return {
    ...found,
    type,
    serial: serial as number,
    body: reader.readAll(found.signature ?? ""),
    ...(noReply && { noReply }),
  };
}
