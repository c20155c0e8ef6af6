/** What each preset does with a call that no rule matches, for people: the schema, the console and the documents have it from here. */
export const presetWords = {
  open: "everything runs",
  default:
    "everything runs, since an MCP client asks its user already. Only OpenClaw's agent needs approval for tools without a read-only hint, and a server for using your model",
  strict:
    "everything that is not read-only needs approval, through every door. Hints count only from sources with `trusted: true`",
} as const;
