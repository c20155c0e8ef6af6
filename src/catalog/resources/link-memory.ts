import { type Caller, callerScopeKey } from "../caller.ts";
import type { ResourceIndex } from "./resource-index.ts";

/** Which source the URIs came from that a caller was sent. Bounded: the oldest are forgotten. */
export interface LinkMemory {
  /** The lists that the caller got last. */
  listed(caller: Caller): ResourceIndex | undefined;
  noteListed(caller: Caller, index: ResourceIndex): void;
  /** The source of a URI that no list and no template mentions; undefined if the caller was not sent it. */
  sourceOf(caller: Caller, uri: string): string | undefined;
  /** False if the URI is too long to be remembered. */
  remember(caller: Caller, uri: string, source: string): boolean;
}

const maxCallers = 200;
const maxUris = 1000;
const maxUriLength = 2048;
/** Of all URIs of one caller. */
const maxCharacters = 128 * 1024;

interface CallerLinks {
  listed: ResourceIndex | undefined;
  readonly sources: Map<string, string>;
  characters: number;
}

export function createLinkMemory(): LinkMemory {
  const callers = new Map<string, CallerLinks>();

  return {
    listed: (caller) => callers.get(keyOf(caller))?.listed,
    noteListed(caller, index) {
      linksOf(caller).listed = index;
    },
    sourceOf: (caller, uri) => callers.get(keyOf(caller))?.sources.get(uri),
    remember(caller, uri, source) {
      if (uri.length > maxUriLength) return false;
      const links = linksOf(caller);
      if (!links.sources.has(uri)) links.characters += uri.length;
      moveToEnd(links.sources, uri, source);
      while (links.sources.size > maxUris || links.characters > maxCharacters) {
        const [oldest] = links.sources.keys();
        links.sources.delete(oldest!);
        links.characters -= oldest!.length;
      }
      return true;
    },
  };

  function linksOf(caller: Caller): CallerLinks {
    const key = keyOf(caller);
    const links = callers.get(key) ?? { listed: undefined, sources: new Map<string, string>(), characters: 0 };
    moveToEnd(callers, key, links);
    if (callers.size > maxCallers) callers.delete(callers.keys().next().value!);
    return links;
  }
}

/** Sessions of one token are different callers: what one was sent says nothing about the other. */
function keyOf(caller: Caller): string {
  return caller.sessionKey === undefined ? callerScopeKey(caller) : `${callerScopeKey(caller)} ${caller.sessionKey}`;
}

function moveToEnd<V>(map: Map<string, V>, key: string, value: V): void {
  map.delete(key);
  map.set(key, value);
}
