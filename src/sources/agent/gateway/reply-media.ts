import { Fault } from "../../../core/fault.ts";
import { safeName } from "../../../core/files/safe-name.ts";
import { readBoundedBody } from "../../../core/http/read-response.ts";
import { redactText } from "../../../core/secrets/redact.ts";
import { sleep } from "../../../core/wait.ts";
import type { GatewayConnection } from "../../../openclaw/open-gateway.ts";
import { maxSavedBytes } from "../media/media-limits.ts";
import type { ReplyMedia, ReplyOptions } from "../reply-backend.ts";

interface Artifact {
  readonly id: string;
  readonly title?: string;
  readonly mimeType?: string;
  readonly sizeBytes?: number;
  readonly download?: { readonly mode?: string };
}

export interface RunMediaQuery {
  readonly sessionKey: string;
  readonly runId: string;
  /** Paths the agent announced: the gateway may list them a little later. */
  readonly announced: readonly string[];
}

export interface FoundMedia {
  readonly media: readonly ReplyMedia[];
  /** Announced, but not listed by the gateway. */
  readonly missing: readonly string[];
}

/**
 * Lists what the agent attached to its answer. All of it comes from the gateway, which serves only files in the agent's
 * media folders: a path in an answer is never opened here.
 */
export async function listReplyMedia(
  gateway: GatewayConnection,
  run: RunMediaQuery,
  { signal, log }: Pick<ReplyOptions, "signal" | "log">,
): Promise<FoundMedia> {
  try {
    return await listArtifacts(gateway, run, signal);
  } catch (error) {
    signal.throwIfAborted();
    // The text of the answer is still useful.
    log.warn("could not list the agent's attachments", { error });
    return { media: [], missing: run.announced };
  }
}

async function listArtifacts(gateway: GatewayConnection, run: RunMediaQuery, signal: AbortSignal): Promise<FoundMedia> {
  const { sessionKey, runId, announced } = run;
  for (let tries = 0; ; tries++) {
    const { artifacts } = await gateway.request<{ artifacts: readonly Artifact[] }>(
      "artifacts.list",
      { sessionKey, runId },
      { signal },
    );
    if (artifacts.length >= announced.length || tries === 10) {
      const isListed = (path: string): boolean =>
        artifacts.some(({ title = "" }) => title !== "" && path.endsWith(title));
      return {
        media: artifacts.map((artifact) => artifactMedia(gateway, artifact, sessionKey)),
        missing: artifacts.length >= announced.length ? [] : announced.filter((path) => !isListed(path)),
      };
    }
    await sleep(100, signal);
  }
}

function artifactMedia(gateway: GatewayConnection, artifact: Artifact, sessionKey: string): ReplyMedia {
  const { id, title, mimeType = "application/octet-stream", sizeBytes = 0 } = artifact;
  const name = safeName(title, "attachment");
  return {
    id,
    name,
    mimeType,
    bytes: sizeBytes,
    where: `${redactText(gateway.address.url)} (artifact ${id})`,
    async read(signal) {
      const params = { sessionKey, artifactId: id };
      const { url } = await gateway.request<{ url?: string }>("artifacts.download", params, { signal });
      if (url === undefined) throw new Fault("unavailable", "the gateway offers no download for it");
      return download(gateway.address.url, url, signal);
    },
  };
}

async function download(gatewayUrl: string, path: string, signal: AbortSignal): Promise<Buffer> {
  const base = new URL(gatewayUrl.replace(/^ws/, "http"));
  const target = new URL(path, base);
  // The path holds a ticket for the file, which must not be sent to another host.
  if (target.origin !== base.origin) throw new Fault("denied", "the gateway's download link is for another host");
  const response = await fetch(target, { signal, redirect: "error" });
  if (!response.ok) throw new Fault("unavailable", `the gateway answered ${response.status}`);
  return readBoundedBody(response, maxSavedBytes, "it");
}
