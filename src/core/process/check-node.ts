const oldest = [22, 19] as const;

interface NodeFinding {
  readonly level: "ok" | "fail";
  readonly what: string;
  readonly fix?: string;
}

/** Whether this Node is new enough, as a finding for the doctor. */
export function checkNode(version: string): NodeFinding[] {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major > oldest[0] || (major === oldest[0] && minor >= oldest[1]))
    return [{ level: "ok", what: `Node ${version}` }];
  return [
    {
      level: "fail",
      what: `Node ${version} is too old: ${oldest.join(".")} or newer is required`,
      fix: "nvm install --lts  (or a newer Node from https://nodejs.org)",
    },
  ];
}
