import { appendFileSync, mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { writeFileAtomic } from "../../core/files/write-file-atomic.ts";

/** Vectors on disk, by the hash of the text that each stands for. */
export interface VectorFile {
  get(hash: string): Float32Array | undefined;
  /** How many there are. */
  readonly size: number;
  add(vectors: ReadonlyMap<string, Float32Array>): void;
  /** Forgets all others. */
  keep(hashes: ReadonlySet<string>): Promise<void>;
}

const hashBytes = 32;
const headBytes = hashBytes + 4;

/** A record is the hash, the number of values, and the values. A damaged end, as after a crash, is ignored. */
export function openVectorFile(path: string): VectorFile {
  let vectors = parse(read(path));
  return {
    get: (hash) => vectors.get(hash),
    get size() {
      return vectors.size;
    },
    add(added) {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      // One write for all: what another process appends at the same time does not get between them.
      appendFileSync(path, format(added), { mode: 0o600 });
      for (const [hash, vector] of added) vectors.set(hash, vector);
    },
    async keep(hashes) {
      const kept = new Map([...vectors].filter(([hash]) => hashes.has(hash)));
      await writeFileAtomic(path, format(kept));
      vectors = kept;
    },
  };
}

function read(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    return Buffer.alloc(0);
  }
}

function parse(bytes: Buffer): Map<string, Float32Array> {
  const vectors = new Map<string, Float32Array>();
  for (let at = 0; at + headBytes <= bytes.length;) {
    const length = bytes.readUInt32LE(at + hashBytes) * 4;
    const end = at + headBytes + length;
    if (end > bytes.length) break;
    // A copy: the values are not aligned in the file.
    const values = new Float32Array(new Uint8Array(bytes.subarray(at + headBytes, end)).buffer);
    vectors.set(bytes.subarray(at, at + hashBytes).toString("hex"), values);
    at = end;
  }
  return vectors;
}

function format(vectors: ReadonlyMap<string, Float32Array>): Buffer {
  return Buffer.concat(
    [...vectors].flatMap(([hash, vector]) => {
      const head = Buffer.alloc(headBytes);
      head.write(hash, "hex");
      head.writeUInt32LE(vector.length, hashBytes);
      return [head, Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength)];
    }),
  );
}
