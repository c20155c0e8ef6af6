import { clientSuites } from "./client/client-suites.ts";
import { runClientSuite } from "./client/run-client-suite.ts";
import { compareThroughHub } from "./hub/lost-checks.ts";
import { isGood, renderReport } from "./render-report.ts";
import type { SuiteResult } from "./render-report.ts";
import { directTitle, hubTitle, runSuite, suites } from "./run-suite.ts";
import { startFixture, startHubFor } from "./start-fixture.ts";

/** Without an argument everything runs; with one, the suites whose title contains it. */
const [wanted = ""] = process.argv.slice(2);
const isWanted = ({ title }: { readonly title: string }) => title.includes(wanted);

const servers: SuiteResult[] = [];
for (const suite of suites.filter(isWanted)) {
  // Each suite has its own fixture, so that no state carries over to the next.
  await using fixture = await startFixture();
  await using hub = suite.throughHub === true ? await startHubFor(fixture.url) : undefined;
  servers.push({ suite, scenarios: await runSuite(suite, hub?.url ?? fixture.url) });
}
console.log(`Our server\n\n${renderReport(servers)}\n`);

const direct = servers.find(({ suite }) => suite.title === directTitle);
const through = servers.find(({ suite }) => suite.title === hubTitle);
const lost = direct && through && compareThroughHub(direct.scenarios, through.scenarios);
if (lost) console.log(`${lost.lines.join("\n")}\n`);

const clients: SuiteResult[] = [];
for (const suite of clientSuites.filter(isWanted)) clients.push({ suite, scenarios: await runClientSuite(suite) });
console.log(`Our client\n\n${renderReport(clients)}`);

if (![...servers, ...clients].every(isGood) || lost?.isExpected === false) process.exitCode = 1;
