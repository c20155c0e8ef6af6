import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The files that take longest: begun last, one of them would run alone at the end. */
const heaviest = [
  "tests/package/images.test.ts",
  "tests/package/installed.test.ts",
  "tests/package/contents.test.ts",
  "tests/core/sigkill.test.ts",
  "tests/apps/chaos.test.ts",
  "tests/servers/soak/soak.test.ts",
  "tests/agent/other-clients.test.ts",
  "tests/clients/inspector.test.ts",
  "tests/console/page/shown-calls.test.ts",
  "tests/console/page/axe.test.ts",
  "tests/servers/real/everything.test.ts",
  "tests/console/page/inbox.test.ts",
  "tests/servers/stdio-faults.test.ts",
  "tests/console/page/pages.test.ts",
  "tests/sandbox/real-servers.test.ts",
  "tests/apps/nats-health.test.ts",
  "tests/browser/gate.browser.test.ts",
  "tests/servers/sleeping.test.ts",
  "tests/servers/real/files-and-memory.test.ts",
  "tests/results/slices.test.ts",
  "tests/machine/canvas-hostile.test.ts",
  "tests/agent/hub-relay.test.ts",
  "tests/agent/model.test.ts",
  "tests/cli/advice.test.ts",
  "tests/machine/gateway-node.test.ts",
  "tests/guard/kills.test.ts",
  "tests/servers/http-faults.test.ts",
];

/** Starts the files that take longest first, also in a clone that has never run them. */
export class HeaviestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const at = heaviest.findIndex((path) => moduleId.replaceAll("\\", "/").endsWith(path));
      return at === -1 ? heaviest.length : at;
    };
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}
