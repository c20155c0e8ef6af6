import { jetstream, JetStreamApiError, type JetStreamManager, jetstreamManager } from "@nats-io/jetstream";
import { Kvm } from "@nats-io/kv";
import { headers, type MsgHdrs } from "@nats-io/transport-node";
import { Fault, messageOf } from "../../../core/fault.ts";
import { sleep } from "../../../core/wait.ts";
import { createRefusalReport, sealIn } from "./channel.ts";
import { type NatsLinks, untilElected } from "./nats-connection.ts";
import { sealHeader } from "./seal.ts";

/**
 * A bucket of JetStream's key-value store whose values have the seal of this deployment. It needs no consumers: who may
 * make one can have the server send its messages to any subject of the account.
 */
export interface Bucket {
  readonly name: string;
  get(key: string): Promise<BucketEntry | undefined>;
  put(key: string, value: string): Promise<void>;
  /** Resolves to false, and writes nothing, if the key has another revision by now. 0 means that there is none. */
  replace(key: string, value: string, revision: number): Promise<boolean>;
  remove(key: string): Promise<void>;
  /** Those of removed values among them. */
  keys(): Promise<readonly string[]>;
}

export interface BucketEntry {
  /** Undefined if the value was removed or is not ours. */
  readonly value: string | undefined;
  readonly isRefused: boolean;
  /** Whether a value that is there has our seal. */
  readonly isSealed?: boolean;
  readonly revision: number;
}

/** Longer than any session may live without use: what no instance removes, the server does. */
const bucketTtlMs = 3 * 86_400_000;
const answerMs = 5000;
const sealEveryMs = 5000;
const operationHeader = "KV-Operation";

/** Made if need be: with three copies in a cluster, one on a single server. */
export async function openBucket(links: NatsLinks, part: string): Promise<Bucket> {
  const { main, log, seal } = links;
  const name = `${links.prefix}-${part}`;
  const stream = streamOf(name);
  const isDirect = await makeBucket(links, name);
  const client = jetstream(main, { timeout: answerMs });
  const manager = await managerOf(links, answerMs);
  const subjectOf = (key: string) => `$KV.${name}.${key}`;
  const reportRefused = createRefusalReport(log);
  if (links.acceptUnsealed && seal !== undefined) void sealAll();

  return {
    name,
    get,
    replace,
    keys,
    async put(key, value) {
      await reach(() => client.publish(subjectOf(key), value, { headers: sealed(key, value) }));
    },
    async remove(key) {
      const marks = headers();
      marks.set(operationHeader, "PURGE");
      marks.set("Nats-Rollup", "sub");
      await reach(() => client.publish(subjectOf(key), "", { headers: marks }));
    },
  };

  async function get(key: string): Promise<BucketEntry | undefined> {
    const subject = subjectOf(key);
    const query = { last_by_subj: subject };
    const found = await reach(() =>
      isDirect ? manager.direct.getMessage(stream, query) : manager.streams.getMessage(stream, query),
    );
    if (found === null) return undefined;
    const { header, data, seq: revision } = found;
    if (header.get(operationHeader) !== "") return { value: undefined, isRefused: false, revision };
    const isSealed = seal === undefined || seal.isOurs(sealIn(header), subject, data, "record");
    if (isSealed || links.acceptUnsealed) return { value: found.string(), isRefused: false, isSealed, revision };
    reportRefused("a record", subject);
    return { value: undefined, isRefused: true, revision };
  }

  async function replace(key: string, value: string, revision: number): Promise<boolean> {
    const expect = { lastSubjectSequence: revision };
    const write = () => client.publish(subjectOf(key), value, { headers: sealed(key, value), expect });
    return reach(() =>
      write().then(
        () => true,
        (error: unknown) => {
          if (error instanceof JetStreamApiError && changedCodes.has(error.code)) return false;
          throw error;
        },
      ),
    );
  }

  async function keys(): Promise<readonly string[]> {
    const info = await reach(() => manager.streams.info(stream, { subjects_filter: subjectOf(">") }));
    return Object.keys(info.state.subjects ?? {}).map((subject) => subject.slice(subjectOf("").length));
  }

  /** Until every instance seals what it stores, the others' values are sealed for them. */
  async function sealAll(): Promise<void> {
    try {
      for (const key of await keys()) {
        const found = await get(key);
        if (found?.value !== undefined && found.isSealed === false) await replace(key, found.value, found.revision);
      }
    } catch (error) {
      log.debug("values could not be sealed", { error });
    }
    if (!main.isClosed()) setTimeout(() => void sealAll(), sealEveryMs).unref();
  }

  function sealed(key: string, value: string): MsgHdrs {
    const made = headers();
    if (seal !== undefined) made.set(sealHeader, seal.make(subjectOf(key), value));
    return made;
  }
}

/** The stream has another last message for the key: with servers from 2.10 on, the second one. */
const changedCodes: ReadonlySet<number> = new Set([10_071, 10_164]);

export function streamOf(bucket: string): string {
  return `KV_${bucket}`;
}

export function managerOf({ main }: Pick<NatsLinks, "main">, timeout: number): Promise<JetStreamManager> {
  return jetstreamManager(main, { timeout, checkAPI: false });
}

/** What NATS can't do right now may be tried again: without a majority of its servers, nothing can be stored. */
async function reach<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    const message = `NATS can't reach the sessions right now (${messageOf(error)}). Try again in a few seconds.`;
    throw new Fault("unavailable", message, { cause: error });
  }
}

/** Returns whether any copy may answer reads. */
async function makeBucket(links: NatsLinks, name: string): Promise<boolean> {
  const manager = new Kvm(links.main);
  const clustered = links.main.info?.cluster !== undefined;
  let reason: unknown;
  for (const replicas of clustered ? [3, 1] : [1]) {
    try {
      await untilShared(() => untilElected(() => manager.create(name, { history: 1, ttl: bucketTtlMs, replicas })));
      if (clustered && replicas === 1)
        links.log.warn(`the bucket ${name} has one copy only: NATS has no three servers for it`, { error: reason });
      const { config } = await (await managerOf(links, answerMs)).streams.info(streamOf(name));
      return config.allow_direct;
    } catch (error) {
      reason = error;
    }
  }
  throw new Fault("unavailable", `The bucket ${name} can't be opened in NATS: ${messageOf(reason)}`, {
    cause: reason,
  });
}

/** Subjects overlap: with another stream, or with the same one while another instance makes it. */
const overlapCode = 10_065;

async function untilShared<T>(create: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await create();
    } catch (error) {
      if (!(error instanceof JetStreamApiError && error.code === overlapCode) || attempt > 10) throw error;
      await sleep(100 * attempt);
    }
  }
}
