import type { ConsolePort } from "../engine/open-http.ts";

/** Loads the console with its first request: most starts never see a browser. */
export const openConsoleOf: ConsolePort = async (engine, wiring) => {
  const { openConsole } = await import("./open-console.ts");
  return openConsole(engine, wiring);
};
