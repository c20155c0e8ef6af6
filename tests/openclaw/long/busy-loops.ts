import { spawn } from "node:child_process";

/** Longer than anything that runs beside them. */
const maxMinutes = 60;
const loop = `const end = Date.now() + ${maxMinutes * 60_000}; while (Date.now() < end);`;

/** Processes that take all the processor they get, until they are disposed of. */
export function startBusyLoops(count: number): Disposable {
  const loops = Array.from({ length: count }, () => spawn(process.execPath, ["-e", loop], { stdio: "ignore" }));
  const end = (): void => {
    for (const each of loops) each.kill("SIGKILL");
  };
  process.once("exit", end);
  return {
    [Symbol.dispose]() {
      process.off("exit", end);
      end();
    },
  };
}
