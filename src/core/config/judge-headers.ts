type Finding = { readonly name: string; readonly message: string };

/** Set by the transport from what it sends; a value from a file would contradict it. */
const reserved =
  /^(?:host|connection|content-length|content-type|accept|transfer-encoding|te|trailer|upgrade|keep-alive|last-event-id|mcp-.*)$/;

/** What is wrong with static request headers. Values are never repeated: they may be secret. */
export function judgeHeaders(headers: Readonly<Record<string, string>>): readonly Finding[] {
  const seen = new Set<string>();
  return Object.entries(headers).flatMap(([name, value]) => {
    const message = judgeHeader(name, value, seen);
    seen.add(name.toLowerCase());
    return message === undefined ? [] : [{ name, message }];
  });
}

function judgeHeader(name: string, value: string, seen: ReadonlySet<string>): string | undefined {
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) return "is no name for a header; letters, digits and - are";
  if (reserved.test(name.toLowerCase())) return "is set by Clawport itself; leave it out";
  if (seen.has(name.toLowerCase())) return "is given twice, in different letters";
  if (!/^[\t\u0020-\u007E\u0080-\u00FF]*$/.test(value)) return "holds a line break or a character no header can carry";
  return undefined;
}
