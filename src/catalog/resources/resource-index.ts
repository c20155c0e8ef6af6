import type { Resource, ResourceTemplate } from "../../mcp/messages/resources-and-prompts.ts";
import { type Skill, skillRoot } from "../../mcp/messages/skill.ts";
import type { ListedSource, Source } from "../source.ts";
import { compileTemplate, type TemplateMatcher } from "./match-template.ts";
import { parseQualifiedUri, qualifyUri } from "./qualified-uri.ts";
import { uiUrisOf } from "./rewrite-uris.ts";
import { qualifySkill } from "./show-skills.ts";

/** A source whose resources can be read. */
export type ReadableSource = Source & Required<Pick<Source, "readResource">>;

/** The resource behind a URI that a caller sent. */
export interface FoundResource {
  readonly source: ListedSource;
  /** As the source knows it. */
  readonly uri: string;
}

/**
 * What the sources of a view list, under URIs that each belong to one source. A URI that two sources claim belongs to
 * neither in its plain form: otherwise a later server could answer for one that people already trust.
 */
export interface ResourceIndex {
  readonly resources: readonly Resource[];
  readonly templates: readonly ResourceTemplate[];
  readonly skills: readonly Skill[];
  /** Whether URIs of several sources can meet here. */
  readonly isShared: boolean;
  /** The URIs that are shown in another form, as a key that is equal while they are the same. */
  readonly contestedKey: string;
  /** The resource behind a URI in the form shown here; undefined if no source claims it, or more than one. */
  find(uri: string): FoundResource | undefined;
  /** The source whose template this is, in the form shown here. */
  findTemplate(uriTemplate: string): FoundResource | undefined;
  /** The forms shown here of a template as its sources write it: several if several sources have it. */
  templateForms(uriTemplate: string): readonly string[];
  /** The sources that list the URI, have a skill in whose directory it is, or have a template for it: the first that apply. */
  claimants(uri: string): readonly ReadableSource[];
  /** The form in which a URI that the source lists, or names in a tool, is shown. */
  shownUri(source: ListedSource, uri: string): string;
}

export const noResources: ResourceIndex = {
  resources: [],
  templates: [],
  skills: [],
  isShared: false,
  contestedKey: "",
  find: () => undefined,
  findTemplate: () => undefined,
  templateForms: () => [],
  claimants: () => [],
  shownUri: (_source, uri) => uri,
};

interface Claimed<T> {
  readonly source: ReadableSource;
  readonly item: T;
}

/** What can stand for many URIs: a template, or the directory of a skill. */
interface ClaimedTemplate extends TemplateMatcher {
  readonly source: ReadableSource;
}

export function indexResources(sources: readonly Source[]): ResourceIndex {
  const readable = sources.filter(isReadable);
  if (readable.length === 0) return noResources;
  const byId = new Map(readable.map((source) => [source.id, source]));
  // Some clients write the part before the path in lower case, as URLs of the web allow.
  const byFoldedId = new Map(readable.map((source) => [source.id.toLowerCase(), source]));
  const isShared = readable.length > 1;
  const listed: Claimed<Resource>[] = [];
  const templates: (ClaimedTemplate & { readonly item: ResourceTemplate })[] = [];
  const directories: ClaimedTemplate[] = [];
  const skills: Claimed<Skill>[] = [];
  const claims = new Map<string, ReadableSource[]>();
  for (const source of readable) {
    for (const item of source.resources?.() ?? []) if (claim(source, item.uri)) listed.push({ source, item });
    const own = new Set<string>();
    for (const item of source.resourceTemplates?.() ?? []) {
      if (own.has(item.uriTemplate)) continue;
      own.add(item.uriTemplate);
      templates.push({ source, item, ...compileTemplate(item.uriTemplate) });
    }
    for (const item of source.skills?.() ?? []) claimSkill(source, item);
    for (const tool of source.tools()) for (const uri of uiUrisOf(tool)) claim(source, uri);
  }
  const contestedTemplates = isShared
    ? prefixesThatMeet(templates, claims).union(prefixesWithin(templates, directories))
    : new Set<string>();
  const contestedDirectories = isShared ? prefixesThatMeet(directories, claims) : new Set<string>();
  const shownTemplates = new Map<string, FoundResource>();

  const index: ResourceIndex = {
    resources: listed.map(({ source, item }) => shownItem(item, "uri", shownUri(source, item.uri))),
    templates: templates.map(({ source, item, prefix }) => {
      const uri = item.uriTemplate;
      const shown = contestedTemplates.has(prefix) || isQualified(uri) ? qualifyUri(source.id, uri) : uri;
      shownTemplates.set(shown, { source, uri });
      return shownItem(item, "uriTemplate", shown);
    }),
    skills: skills.map(({ source, item }) =>
      contestedDirectories.has(`${skillRoot(item)}/`) || isQualified(item.uri) ? qualifySkill(source.id, item) : item,
    ),
    isShared,
    contestedKey: isShared ? keyOf(claims) : "",
    find(uri) {
      // A single source may list URIs that look like this, as a hub behind this one does.
      const parsed = isShared || !claims.has(uri) ? parseQualifiedUri(uri) : undefined;
      const named = parsed && (byId.get(parsed.source) ?? byFoldedId.get(parsed.source.toLowerCase()));
      if (named) return { source: named, uri: parsed.uri };
      // Of a source that is gone, no other source has anything.
      if (parsed && isShared) return undefined;
      const [source, ...others] = index.claimants(uri);
      if (source !== undefined && others.length === 0) return { source, uri };
      // Results may link to unlisted resources. With a single source it is clear whose they are.
      return isShared || parsed ? undefined : { source: readable[0]!, uri };
    },
    findTemplate: (uriTemplate) => shownTemplates.get(uriTemplate),
    templateForms: (uriTemplate) =>
      [...shownTemplates].flatMap(([shown, { uri }]) => (uri === uriTemplate ? [shown] : [])),
    claimants(uri) {
      const exact = claims.get(uri);
      if (exact !== undefined) return exact;
      // A server with skills often has a template for all of them, which must not claim those of another server.
      const found = sourcesFor(uri, directories);
      return found.length > 0 ? found : sourcesFor(uri, templates);
    },
    shownUri,
  };
  return index;

  /** With its files and its directory; in the latter there may be files that are not listed. */
  function claimSkill(source: ReadableSource, skill: Skill): void {
    skills.push({ source, item: skill });
    const root = skillRoot(skill);
    claim(source, root);
    claim(source, skill.uri);
    if (skill.resources !== "dynamic") for (const { uri } of skill.resources) claim(source, uri);
    const prefix = `${root}/`;
    directories.push({ source, prefix, cost: 1, matches: (uri) => uri.startsWith(prefix) });
  }

  /** Whether this is the source's first claim of the URI. */
  function claim(source: ReadableSource, uri: string): boolean {
    const claimants = claims.get(uri);
    if (claimants === undefined) claims.set(uri, [source]);
    else if (claimants.includes(source)) return false;
    else claimants.push(source);
    return true;
  }

  function shownUri(source: ListedSource, uri: string): string {
    if (!isShared || !byId.has(source.id)) return uri;
    const isOwn = claims.get(uri)?.every(({ id }) => id === source.id) ?? true;
    return isOwn && !isQualified(uri) ? uri : qualifyUri(source.id, uri);
  }

  /** A source can't name a resource of another one by using the form that names it. */
  function isQualified(uri: string): boolean {
    return isShared && parseQualifiedUri(uri) !== undefined;
  }
}

function isReadable(source: Source): source is ReadableSource {
  return source.readResource !== undefined;
}

function keyOf(claims: ReadonlyMap<string, readonly ReadableSource[]>): string {
  const contested: unknown[] = [];
  for (const [uri, sources] of claims) if (sources.length > 1) contested.push([uri, ...sources.map(({ id }) => id)]);
  return JSON.stringify(contested);
}

/**
 * Steps for the templates of one source with one URI, so that a server can't keep the hub busy. Real servers need far
 * fewer; templates beyond that count for nothing.
 */
const maxSteps = 200_000;

function sourcesFor(uri: string, templates: readonly ClaimedTemplate[]): readonly ReadableSource[] {
  const found = new Set<ReadableSource>();
  const steps = new Map<ReadableSource, number>();
  for (const { source, prefix, cost, matches } of templates) {
    if (found.has(source) || !uri.startsWith(prefix)) continue;
    const sum = (steps.get(source) ?? 0) + cost * uri.length;
    steps.set(source, sum);
    if (sum <= maxSteps && matches(uri)) found.add(source);
  }
  return [...found];
}

/** More different beginnings of templates than real servers have; it bounds the work. */
const maxLengths = 64;

/**
 * The beginnings of templates that could stand for what another source has: one of two templates begins like the other,
 * or another source's URI begins like the template.
 */
function prefixesThatMeet(
  templates: readonly ClaimedTemplate[],
  claims: ReadonlyMap<string, readonly ReadableSource[]>,
): Set<string> {
  const meeting = new Set<string>();
  const owners = new Map<string, Set<ReadableSource>>();
  for (const { prefix, source } of templates) owners.set(prefix, (owners.get(prefix) ?? new Set()).add(source));
  const lengths = [...new Set(Array.from(owners.keys(), ({ length }) => length))].sort((a, b) => a - b);
  if (lengths.length > maxLengths) return new Set(owners.keys());
  const compare = (text: string, source: ReadableSource, isTemplate: boolean): void => {
    for (const length of lengths) {
      if (length > text.length) return;
      const prefix = text.slice(0, length);
      const found = owners.get(prefix);
      if (found === undefined || (found.size === 1 && found.has(source))) continue;
      meeting.add(prefix);
      if (isTemplate) meeting.add(text);
    }
  };
  for (const { prefix, source } of templates) compare(prefix, source, true);
  if (lengths.length > 0)
    for (const [uri, sources] of claims) for (const source of sources) compare(uri, source, false);
  return meeting;
}

/** The beginnings of templates that are within the directory of another source's skill, which would claim their URIs. */
function prefixesWithin(
  templates: readonly ClaimedTemplate[],
  directories: readonly ClaimedTemplate[],
): ReadonlySet<string> {
  const owners = new Map<string, Set<ReadableSource>>();
  for (const { prefix, source } of directories) owners.set(prefix, (owners.get(prefix) ?? new Set()).add(source));
  const lengths = new Set(Array.from(owners.keys(), ({ length }) => length));
  const isWithin = ({ prefix, source }: ClaimedTemplate) =>
    lengths.size > maxLengths ||
    lengths.values().some((length) => {
      const found = length > prefix.length ? undefined : owners.get(prefix.slice(0, length));
      return found !== undefined && (found.size > 1 || !found.has(source));
    });
  return new Set(templates.filter(isWithin).map(({ prefix }) => prefix));
}

/** The same object for the same item and URI, since lists are compared by their elements. */
const shownItems = new WeakMap<object, Map<string, object>>();

function shownItem<K extends string, T extends { readonly [Key in K]: string }>(item: T, key: K, shown: string): T {
  if (item[key] === shown) return item;
  const forms = shownItems.get(item) ?? new Map<string, object>();
  shownItems.set(item, forms);
  const made = forms.get(shown) ?? { ...item, [key]: shown };
  forms.set(shown, made);
  return made as T;
}
