import { clientSuites } from "./client/client-suites.ts";
import { runClientSuite } from "./client/run-client-suite.ts";
import { isGood, renderReport } from "./render-report.ts";
import type { SuiteResult } from "./render-report.ts";
import { runSuite, suites } from "./run-suite.ts";
import { startFixture } from "./start-fixture.ts";

const servers: SuiteResult[] = [];
for (const suite of suites) {
  // Each suite has its own fixture, so that no state carries over to the next.
  await using fixture = await startFixture();
  servers.push({ suite, scenarios: await runSuite(suite, fixture.url) });
}
console.log(`Our server\n\n${renderReport(servers)}\n`);

const clients: SuiteResult[] = [];
for (const suite of clientSuites) clients.push({ suite, scenarios: await runClientSuite(suite) });
console.log(`Our client\n\n${renderReport(clients)}`);

if (![...servers, ...clients].every(isGood)) process.exitCode = 1;
