import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { serverStates } from "../../src/core/server-states.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** What each advice of the doctor begins with, and the words of the test that follows it, or why none can. */
const followed: Readonly<Record<string, { readonly by: string } | { readonly not: string }>> = {
  "clawport install ": { not: "its complaint is a client that sends its token to another user's port" },
  "clawport config path": { not: "it leads to a file that can't be read at all; the message says why" },
  "${EDITOR:-vi} +": { by: "a mistake in the configuration" },
  "clawport up --trust": { by: "a folder's configuration that is not trusted yet" },
  "sudo chown -R ": { not: "it needs another user and sudo" },
  "df -h ": { by: "the advice about a full disk" },
  "chmod -R u+rwX ": { not: "root can read every folder" },
  "clawport token reset": { by: "an empty token" },
  "chmod 600 ": { by: "a token that others can read" },
  "chmod ${wanted} ": { by: "a state folder that others can open" },
  "clawport up --port ": { by: "the advice about a port that another program holds" },
  "clawport up": { by: "no hub" },
  "kill -9 ": { by: "a hub that hangs" },
  "kill ": { by: "the advice about a hub of another version" },
  "clawport clients ": { by: "a refused token is no warning" },
  "export ${variable}=": { not: "it is a variable that OpenClaw's own configuration names" },
  "openclaw doctor": { not: "it is OpenClaw's own doctor" },
  "openclaw gateway": { not: "it starts OpenClaw itself" },
  "clawport pins": { by: "the advice about a changed tool" },
  "ls -l ": { not: "it leads to files that can't be read; the message says why" },
  "clawport import": { by: "no servers" },
  "apt install bubblewrap": { not: "it changes the system" },
  "clawport ${serverStateRow": { by: "a server that wants a key has a word of its own" },
  "status ": { not: "it shows a server in a state that has no remedy: it is stopping, or still connecting" },
  "clawport status ": { not: "it shows what a server lists wrongly; only the server can mend that" },
  "clawport config check": { not: "it shows what the configuration has to say instead" },
  "curl -v ": { not: "it shows why an address can't be reached" },
  "${EDITOR:-vi} ": { by: "a command that is not installed" },
  "export CLAWPORT_TOKENS_PASSPHRASE": { not: "it is an offer and no complaint" },
  "clawport auth <server> && rm ": { not: "which server the file was of can't be known" },
  "clawport auth client-document ": { not: "the document is hosted elsewhere" },
};

function adviceOfDoctor(): string[] {
  const files = globSync("src/hub/doctor/*.ts", { cwd: root }).filter((each) => !each.endsWith(".test.ts"));
  return files.flatMap((file) => {
    const text = readFileSync(`${root}${file}`, "utf8");
    const lines = text.split("\n").filter((line) => /\bfix(?:: | = )/.test(line) && !line.includes("readonly"));
    return lines.flatMap((line) => {
      const expression = line.slice(line.search(/\bfix(?:: | = )/));
      return [...expression.matchAll(/["`]((?:[a-z]+ |\\?\$\{EDITOR)[^"`]*)/g)].map(([, words = ""]) =>
        words.replace("\\$", "$"),
      );
    });
  });
}

test("every advice of the doctor is followed by a test, or has a reason why it can't be", () => {
  const advice = adviceOfDoctor();
  const starts = Object.keys(followed);
  expect(advice.filter((each) => !starts.some((start) => each.startsWith(start)))).toEqual([]);
  expect(starts.filter((start) => !advice.some((each) => each.startsWith(start)))).toEqual([]);
  const tests = globSync("tests/cli/{advice,advice-followed,refused-tokens}.test.ts", { cwd: root });
  const titles = tests.map((file) => readFileSync(`${root}${file}`, "utf8")).join("\n");
  const named = Object.values(followed).flatMap((each) => ("by" in each ? [each.by] : []));
  expect(named.filter((title) => !titles.includes(title))).toEqual([]);
});

test("every state that is not well has something to do about it", () => {
  const silent = Object.entries(serverStates).filter(([, row]) => !("remedy" in row));
  expect(silent.map(([state]) => state)).toEqual(["ready", "connecting", "queued", "sleeping", "stopped"]);
});
