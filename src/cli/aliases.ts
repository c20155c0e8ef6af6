/** Other names for commands, and what they stand for. */
export const aliases: Readonly<Record<string, readonly string[]>> = {
  start: ["up"],
  add: ["connect"],
  remove: ["disconnect", "--remove"],
  list: ["servers"],
};
