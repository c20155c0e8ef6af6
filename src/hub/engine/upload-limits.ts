import type { SpillOptions } from "../../core/json-bytes.ts";

export interface UploadLimits {
  readonly maxBodyBytes: number;
  readonly spill: SpillOptions;
}

/** How large an order with all its media may be; media go to files in the state folder while they are read. */
export function uploadLimits(home: string): UploadLimits {
  return {
    // Ten images and five files of 15 MB in base64 make 300 MiB; the rest is room for the message.
    maxBodyBytes: 320 * 1024 * 1024,
    spill: { folder: `${home}/agent/incoming`, overBytes: 64 * 1024 },
  };
}
