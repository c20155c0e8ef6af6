/** For commands that may start servers of a configuration that came with its folder. */
export const trustOption = {
  trust: { type: "boolean", description: "trust the configuration in this folder, also next time" },
} as const;
