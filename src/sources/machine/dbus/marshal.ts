import { Fault } from "../../../core/fault.ts";

/** A value with its type, for arguments that may have any type (`v`). */
export interface DbusVariant {
  readonly signature: string;
  readonly value: unknown;
}

/** The largest message that D-Bus allows is 128 MiB; nothing here needs more than this. */
export const maxDbusMessageBytes = 8 * 1024 * 1024;
const deepest = 32;

/** The types in a signature: `a{sv}u` has `a{sv}` and `u`. */
export function splitSignature(signature: string): string[] {
  const types: string[] = [];
  for (let at = 0; at < signature.length;) {
    const end = endOfType(signature, at, 0);
    types.push(signature.slice(at, end));
    at = end;
  }
  return types;
}

const closing: Readonly<Record<string, string>> = { "(": ")", "{": "}" };

function endOfType(signature: string, at: number, depth: number): number {
  const code = signature[at];
  if (code === undefined || depth > deepest) throw malformed("a signature");
  if (code === "a") return endOfType(signature, at + 1, depth + 1);
  const close = closing[code];
  if (close === undefined) return at + 1;
  let next = at + 1;
  while (signature[next] !== close) next = endOfType(signature, next, depth + 1);
  return next + 1;
}

const alignments: Readonly<Record<string, number>> = {
  y: 1, g: 1, v: 1, n: 2, q: 2, b: 4, i: 4, u: 4, s: 4, o: 4, a: 4, h: 4, x: 8, t: 8, d: 8, "(": 8, "{": 8,
}; // prettier-ignore

const alignmentOf = (type: string): number => alignments[type[0] ?? ""] ?? 1;

/** Writes values in little-endian order (D-Bus Specification, "Marshaling"). */
export class DbusWriter {
  #bytes = Buffer.alloc(256);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  align(to: number): void {
    this.#take((to - (this.#length % to)) % to);
  }

  writeAll(signature: string, values: readonly unknown[]): void {
    for (const [index, type] of splitSignature(signature).entries()) this.write(type, values[index]);
  }

  write(type: string, value: unknown): void {
    this.align(alignmentOf(type));
    switch (type[0]) {
      case "y":
        return this.#put(1, (bytes, at) => bytes.writeUInt8(Number(value), at));
      case "b":
      case "u":
      case "h":
        return this.#put(4, (bytes, at) => bytes.writeUInt32LE(Number(value), at));
      case "n":
        return this.#put(2, (bytes, at) => bytes.writeInt16LE(Number(value), at));
      case "q":
        return this.#put(2, (bytes, at) => bytes.writeUInt16LE(Number(value), at));
      case "i":
        return this.#put(4, (bytes, at) => bytes.writeInt32LE(Number(value), at));
      case "x":
        return this.#put(8, (bytes, at) => bytes.writeBigInt64LE(BigInt(value as number), at));
      case "t":
        return this.#put(8, (bytes, at) => bytes.writeBigUInt64LE(BigInt(value as number), at));
      case "d":
        return this.#put(8, (bytes, at) => bytes.writeDoubleLE(Number(value), at));
      case "s":
      case "o":
        return this.#writeText(String(value));
      case "g":
        return this.#writeSignature(String(value));
      case "v": {
        const { signature, value: inner } = value as DbusVariant;
        this.#writeSignature(signature);
        return this.write(signature, inner);
      }
      case "a":
        return this.#writeArray(type.slice(1), value);
      case "(":
      case "{":
        return this.writeAll(type.slice(1, -1), value as readonly unknown[]);
      default:
        throw malformed(`the type ${type}`);
    }
  }

  #writeText(text: string): void {
    const bytes = Buffer.from(text.replaceAll("\0", ""), "utf8");
    this.#put(4, (target, at) => target.writeUInt32LE(bytes.length, at));
    this.#put(bytes.length + 1, (target, at) => bytes.copy(target, at));
  }

  #writeSignature(text: string): void {
    this.#put(1, (target, at) => target.writeUInt8(text.length, at));
    this.#put(text.length + 1, (target, at) => target.write(text, at, "latin1"));
  }

  /** A dictionary may be given as an object. */
  #writeArray(type: string, value: unknown): void {
    const items = isList(value) ? value : Object.entries(value as object);
    const lengthAt = this.#take(4);
    this.align(alignmentOf(type));
    const start = this.#length;
    if (value instanceof Uint8Array && type === "y") this.#put(value.length, (target, at) => target.set(value, at));
    else for (const item of items) this.write(type, item);
    this.#bytes.writeUInt32LE(this.#length - start, lengthAt);
  }

  /** Making room may replace the buffer, so it is read only afterwards. */
  #put(count: number, write: (bytes: Buffer, at: number) => void): void {
    const at = this.#take(count);
    write(this.#bytes, at);
  }

  /** Makes room and returns where it begins. New bytes are zero. */
  #take(count: number): number {
    const at = this.#length;
    this.#length += count;
    if (this.#length > maxDbusMessageBytes) throw new Fault("too-large", "The message is too large for D-Bus.");
    if (this.#length > this.#bytes.length) {
      const larger = Buffer.alloc(Math.max(this.#bytes.length * 2, this.#length));
      this.#bytes.copy(larger);
      this.#bytes = larger;
    }
    return at;
  }
}

/** Reads values that a peer wrote; every length is checked. */
export class DbusReader {
  readonly #bytes: Buffer;
  readonly #little: boolean;
  #at: number;

  constructor(bytes: Buffer, little: boolean, at = 0) {
    this.#bytes = bytes;
    this.#little = little;
    this.#at = at;
  }

  get position(): number {
    return this.#at;
  }

  align(to: number): void {
    this.#skip((to - (this.#at % to)) % to);
  }

  readAll(signature: string): unknown[] {
    return splitSignature(signature).map((type) => this.read(type));
  }

  read(type: string, depth = 0): unknown {
    if (depth > deepest) throw malformed("a value that is nested too deep");
    this.align(alignmentOf(type));
    switch (type[0]) {
      case "y":
        return this.#bytes.readUInt8(this.#skip(1));
      case "b":
        return this.#uint32() !== 0;
      case "u":
      case "h":
        return this.#uint32();
      case "n":
        return this.#little ? this.#bytes.readInt16LE(this.#skip(2)) : this.#bytes.readInt16BE(this.#skip(2));
      case "q":
        return this.#little ? this.#bytes.readUInt16LE(this.#skip(2)) : this.#bytes.readUInt16BE(this.#skip(2));
      case "i":
        return this.#little ? this.#bytes.readInt32LE(this.#skip(4)) : this.#bytes.readInt32BE(this.#skip(4));
      case "x":
        return Number(
          this.#little ? this.#bytes.readBigInt64LE(this.#skip(8)) : this.#bytes.readBigInt64BE(this.#skip(8)),
        );
      case "t":
        return Number(
          this.#little ? this.#bytes.readBigUInt64LE(this.#skip(8)) : this.#bytes.readBigUInt64BE(this.#skip(8)),
        );
      case "d":
        return this.#little ? this.#bytes.readDoubleLE(this.#skip(8)) : this.#bytes.readDoubleBE(this.#skip(8));
      case "s":
      case "o":
        return this.#text(this.#uint32());
      case "g":
        return this.#text(this.#bytes.readUInt8(this.#skip(1)));
      case "v":
        return this.read(this.#variantType(), depth + 1);
      case "a":
        return this.#array(type.slice(1), depth);
      case "(":
      case "{":
        return splitSignature(type.slice(1, -1)).map((part) => this.read(part, depth + 1));
      default:
        throw malformed(`the type ${type}`);
    }
  }

  #variantType(): string {
    const types = splitSignature(this.read("g") as string);
    if (types.length !== 1) throw malformed("a variant");
    return types[0]!;
  }

  /** A dictionary becomes a Map: its keys come from outside. */
  #array(type: string, depth: number): unknown {
    const length = this.#uint32();
    this.align(alignmentOf(type));
    const end = this.#at + length;
    if (end > this.#bytes.length) throw malformed("the length of a list");
    const items: unknown[] = [];
    while (this.#at < end) items.push(this.read(type, depth + 1));
    return type.startsWith("{") ? new Map(items as [unknown, unknown][]) : items;
  }

  #text(length: number): string {
    const at = this.#skip(length + 1);
    return this.#bytes.toString("utf8", at, at + length);
  }

  #uint32(): number {
    const at = this.#skip(4);
    return this.#little ? this.#bytes.readUInt32LE(at) : this.#bytes.readUInt32BE(at);
  }

  #skip(count: number): number {
    const at = this.#at;
    if (count < 0 || at + count > this.#bytes.length) throw malformed("the end of a message");
    this.#at += count;
    return at;
  }
}

const isList = (value: unknown): value is Iterable<unknown> => Array.isArray(value) || value instanceof Uint8Array;

function malformed(what: string): Fault {
  return new Fault("bad-request", `D-Bus: could not read ${what}.`);
}
