import { cp, mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { copyCheckout, root } from "./pack.ts";
import { runLong } from "./run-long.ts";

/** A stage of the Dockerfile as a folder on this machine. */
export interface Stage {
  /** What would be `/` in the container. */
  readonly folder: string;
  workdir: string;
  readonly env: Record<string, string>;
  readonly instructions: Map<string, string>;
}

/**
 * Does what the Dockerfile says in empty folders, one for each stage: every COPY sees only what `.dockerignore` lets
 * through, every RUN runs in its stage. Of the base image only Node and a shell are there, those of this machine.
 */
export async function replayDockerfile(
  dockerfile: string,
  ignored: string,
  into: string,
): Promise<ReadonlyMap<string, Stage>> {
  const sent = ignored.split("\n").flatMap((line) => (line.startsWith("!") ? [line.slice(1)] : []));
  const context = join(into, "context");
  await copyCheckout(context, (path) => sent.some((each) => path === each || path.startsWith(`${each}/`)));
  const stages = new Map<string, Stage>();
  let stage: Stage | undefined;
  for (const [keyword, rest] of instructionsOf(dockerfile)) {
    if (keyword === "FROM") {
      const [base, , name] = rest.split(" ");
      stage = await startStage(join(into, "stages", name!), stages.get(base!));
      stages.set(name!, stage);
    } else await replayStep(stage!, keyword, rest, { context, stages });
  }
  return stages;
}

/** The lines of the Dockerfile without comments, as keyword and rest; a line that ends with `\` goes on in the next. */
function instructionsOf(dockerfile: string): [string, string][] {
  const lines = dockerfile
    .replaceAll(/^#.*\n/gm, "")
    .replaceAll(/\\\n\s*/g, "")
    .split("\n");
  return lines.flatMap((line) => {
    const [, keyword, rest] = /^([A-Z]+) (.+)$/.exec(line) ?? [];
    return keyword === undefined ? [] : [[keyword, rest!] as [string, string]];
  });
}

async function startStage(folder: string, base: Stage | undefined): Promise<Stage> {
  await mkdir(folder, { recursive: true });
  if (base === undefined) return { folder, workdir: "/", env: {}, instructions: new Map() };
  await cp(base.folder, folder, { recursive: true, verbatimSymlinks: true });
  return { folder, workdir: base.workdir, env: { ...base.env }, instructions: new Map(base.instructions) };
}

async function replayStep(
  stage: Stage,
  keyword: string,
  rest: string,
  { context, stages }: { readonly context: string; readonly stages: ReadonlyMap<string, Stage> },
): Promise<void> {
  stage.instructions.set(keyword, rest);
  const cwd = join(stage.folder, stage.workdir);
  if (keyword === "WORKDIR") {
    stage.workdir = rest;
    await mkdir(join(stage.folder, rest), { recursive: true });
  } else if (keyword === "ENV") {
    for (const pair of rest.split(" ")) stage.env[pair.split("=")[0]!] = pair.split("=")[1]!;
  } else if (keyword === "COPY") {
    const [, from, paths] = /^(?:--from=(\S+) )?(.+)$/.exec(rest)!;
    const words = paths!.split(" ");
    const to = words.pop()!;
    const source = from === undefined ? context : stages.get(from)!.folder;
    for (const word of words)
      await cp(join(source, word), to.endsWith("/") ? join(cwd, to, word.split("/").at(-1)!) : join(cwd, to), {
        recursive: true,
        verbatimSymlinks: true,
      });
  } else if (keyword === "RUN") {
    for (const folder of ["var/lib", "usr/local/bin"]) await mkdir(join(stage.folder, folder), { recursive: true });
    // The base image's users are not on this machine.
    const command = rest.replaceAll(" -o node -g node", "").replaceAll(/(?<=\s)\/(?=\w)/g, `${stage.folder}/`);
    const cache = join(root, ".cache", "npm");
    await runLong("sh", ["-c", `export npm_config_cache='${cache}' npm_config_prefer_offline=true; ${command}`], {
      cwd,
      path: [dirname(process.execPath)],
    });
  }
}
