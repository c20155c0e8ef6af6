import type { ContentAnnotations, ResourceContents } from "./content.ts";
import type { Icon } from "./tool.ts";

interface ResourceBase {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly annotations?: ContentAnnotations;
  readonly icons?: readonly Icon[];
  readonly _meta?: Record<string, unknown>;
}

export interface Resource extends ResourceBase {
  readonly uri: string;
  readonly size?: number;
}

export interface ResourceTemplate extends ResourceBase {
  readonly uriTemplate: string;
}

export interface ReadResourceResult {
  readonly contents: readonly ResourceContents[];
  readonly _meta?: Record<string, unknown>;
}
