/** All that reads, with its rules and words, in one module that is loaded when there is something to read. */
export { indexTools } from "./neighbours.ts";
export { screenArguments } from "./screen-arguments.ts";
export { screenDefinition, surroundings } from "./screen-definition.ts";
export { screenResult, screenResultAtOnce } from "./screen-result.ts";
