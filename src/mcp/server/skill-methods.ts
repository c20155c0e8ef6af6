import { Fault } from "../../core/fault.ts";
import type { SkillOffer } from "./offer.ts";
import type { MethodHandler, ServedRequest } from "./served-request.ts";

/** The methods of the skills extension (SEP-2640) that are not those of resources. `listPage` is one page of the list. */
export function skillMethods(
  skills: SkillOffer,
  listPage: (cursor: unknown, request: ServedRequest) => object | Promise<object>,
): readonly (readonly [string, MethodHandler])[] {
  return [
    ["skills/list", (params, request) => listPage(params.cursor, request)],
    ["skills/get", ({ uri }, request) => skills.get(uriOf(uri), request)],
    [
      "resources/directory/read",
      ({ uri, cursor }, request) => {
        if (cursor !== undefined && typeof cursor !== "string")
          throw new Fault("bad-params", '"cursor" must be a string.');
        return skills.readDirectory(uriOf(uri), cursor, request);
      },
    ],
  ];
}

function uriOf(uri: unknown): string {
  if (typeof uri !== "string") throw new Fault("bad-params", '"uri" must be a string.');
  return uri;
}
