import { Fault } from "../../core/fault.ts";
import { quoted } from "../../core/text/peer-text.ts";
import type { Caller } from "../caller.ts";
import type { ListedSource } from "../source.ts";
import { createLinkMemory } from "./link-memory.ts";
import { parseQualifiedUri, qualifyUri } from "./qualified-uri.ts";
import type { FoundResource, ResourceIndex } from "./resource-index.ts";

/** The URIs in results, beside those in lists: a result may link to what no list mentions. */
export interface ShownLinks {
  /** The form in which a URI in a result of the source is shown to the caller. */
  show(index: ResourceIndex, source: ListedSource, uri: string, caller: Caller): string;
  /** The caller gets these lists. */
  noteListed(index: ResourceIndex, caller: Caller): void;
  /** The resource behind a URI that the caller was shown. Faults if several sources have one there. */
  find(index: ResourceIndex, uri: string, caller: Caller): FoundResource | undefined;
}

/** URIs in one result that are looked up. The form that names the source is always right. */
export const maxLookups = 1000;

export function createShownLinks(): ShownLinks {
  const memory = createLinkMemory();

  return {
    show(index, source, uri, caller) {
      if (!index.isShared || !("readResource" in source)) return uri;
      const qualified = qualifyUri(source.id, uri);
      if (parseQualifiedUri(uri) !== undefined) return qualified;
      const claimants = index.claimants(uri);
      if (claimants.length > 0) return claimants.every(({ id }) => id === source.id) ? uri : qualified;
      const known = memory.sourceOf(caller, uri) ?? source.id;
      return known === source.id && memory.remember(caller, uri, source.id) ? uri : qualified;
    },
    noteListed: (index, caller) => memory.noteListed(caller, index),
    find(index, uri, caller) {
      const found = index.find(uri);
      if (!index.isShared || (found !== undefined && found.uri !== uri)) return found;
      // A URI means what the caller was shown, also if another source claims it by now. The form that names the source
      // is not contested, and finds nothing if the source is gone.
      const listed = ownerIn(memory.listed(caller), uri);
      const linked = memory.sourceOf(caller, uri);
      const shown = new Set([listed, linked].filter((id) => id !== undefined));
      const meant = [...shown].flatMap((id) => index.find(qualifyUri(id, uri)) ?? []);
      if (meant.length === 1) return meant[0];
      const claimants = meant.length > 1 ? meant.map(({ source }) => source) : index.claimants(uri);
      if (claimants.length > 1) throw contested(uri, claimants);
      return found;
    },
  };
}

/** The source that alone had the URI, in this form, in the lists. */
function ownerIn(index: ResourceIndex | undefined, uri: string): string | undefined {
  if (index?.isShared === true && parseQualifiedUri(uri) !== undefined) return undefined;
  const [source, ...others] = index?.claimants(uri) ?? [];
  return others.length === 0 ? source?.id : undefined;
}

const maxNamed = 5;

function contested(uri: string, sources: readonly ListedSource[]): Fault {
  const forms = sources.slice(0, maxNamed).map(({ id }) => quoted(qualifyUri(id, uri)));
  return new Fault(
    "unknown-resource",
    `More than one server has a resource at ${quoted(uri)}. Read one of these instead: ${forms.join(", ")}.`,
    { detail: { uri } },
  );
}
