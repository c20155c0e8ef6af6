import type { McpOffer } from "../../mcp/server/offer.ts";
import type { AgentAccess } from "./agent-access.ts";
import { offerToAgent } from "./agent-offer.ts";
import { offerResults, type ResultOfferOptions } from "./results/result-offer.ts";
import { offerScripts, type ScriptSettings } from "./scripts/script-offer.ts";
import type { SurfaceSetting } from "./surface/choose-surface.ts";
import type { Surfaces } from "./surface/surfaces.ts";
import { createViewOffer, type ViewOfferOptions } from "./view-offer.ts";

export interface DoorOfferOptions extends ViewOfferOptions {
  /** Keeps large results. Without it they are sent whole. */
  readonly results?: Pick<ResultOfferOptions, "results" | "tokenKey"> | undefined;
  /** How clients get the tools; all in one list unless given. */
  readonly surfaces?: Surfaces | undefined;
  /** Searches the tools for scripts; that of the surfaces unless given. */
  readonly search?: Pick<Surfaces, "search"> | undefined;
  /** Takes precedence over the usual one of the surfaces. */
  readonly surface?: SurfaceSetting | undefined;
  /** Runs scripts of clients. Without it there are none. */
  readonly scripts?: ScriptSettings | undefined;
  /** For the agent of the program that hosts the engine. */
  readonly agent?: AgentAccess | undefined;
}

/** The same offer with what a layer adds; the same itself if this door does without it. */
type Layer = (offer: McpOffer, options: DoorOfferOptions) => McpOffer;

/** What a call passes between the MCP server and the view that it is for, in this order. */
export const layers = {
  results: (offer, { results, ...door }) => (results ? offerResults(offer, { ...door, ...results }) : offer),
  scripts: (offer, { scripts, ...door }) => (scripts ? offerScripts(offer, { ...door, scripts }) : offer),
  surface: (offer, { surfaces, view, surface }) => surfaces?.wrap(offer, view, surface) ?? offer,
  agent: (offer, { agent, ...door }) => (agent ? offerToAgent(offer, agent, door) : offer),
} as const satisfies Readonly<Record<string, Layer>>;

/** What clients of a door get: a view of the catalog behind its layers. */
export function createDoorOffer(options: DoorOfferOptions): McpOffer {
  const all: readonly Layer[] = Object.values(layers);
  return all.reduceRight((offer, wrap) => wrap(offer, options), createViewOffer(options));
}
