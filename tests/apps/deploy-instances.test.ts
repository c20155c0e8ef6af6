import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { parseAllDocuments, parse } from "yaml";
import { command } from "../../src/cli/commands/proxy.ts";
import { makePlace } from "../support/cli/run-clawport.ts";
import { runProgram } from "../support/cli/run-shell.ts";
import { debianPackages } from "../setup/debian-packages.ts";
import { requireDebianPackages } from "../setup/require-debian-package.ts";
import { freePort } from "../support/free-port.ts";
import { startNatsServer } from "../support/nats-server.ts";
import { createProxyClient } from "../support/apps/proxy-client.ts";
import { startProxyProcess } from "./proxy-process.ts";
import { openApp } from "../support/apps/test-app.ts";

vi.setConfig({ testTimeout: 60_000 });

// oxlint-disable-next-line typescript/no-explicit-any
type Json = any;

const root = join(import.meta.dirname, "../..");
const folder = join(root, "deploy/cluster");
const read = (name: string) => readFile(join(root, name), "utf8");
const hasPrograms = await requireDebianPackages(["haproxy", "nats-server"]);
const compose: Json = parse(await read("deploy/cluster/compose.yaml"), { merge: true, strict: true });
const balancerConfig = await read("deploy/cluster/haproxy.cfg");
const natsConfig = await read("deploy/cluster/nats.conf");
const manifests = await Promise.all(["nats", "proxy"].map((name) => read(`deploy/kubernetes/${name}.yaml`)));
const documents = manifests.flatMap((text) => parseAllDocuments(text, { strict: true }));
const resources: Json[] = documents.map((document) => document.toJS());
const resource = (kind: string, name: string): Json =>
  resources.find((each) => each.kind === kind && each.metadata.name === name);
const composed = (start: string): [string, Json][] =>
  Object.entries<Json>(compose.services).filter(([name]) => name.startsWith(start));

/** What a proxy may still take after `--drain`: the notice to the balancer and the last requests. */
const afterDrain = 2 + 5;
const tokens = { OPENCLAW_PROXY_APP_TOKEN: "a", OPENCLAW_PROXY_OPENCLAW_TOKEN: "b" };

test("the compose file has three of each, and names flags, variables, files and hosts that exist", async () => {
  expect([composed("nats-").length, composed("proxy-").length]).toEqual([3, 3]);
  for (const [, { command: args, environment, depends_on: needed, stop_grace_period: grace }] of composed("proxy-")) {
    const drain = checkArgs(args);
    expect(Number.parseInt(grace, 10)).toBeGreaterThan(drain + afterDrain);
    await checkVariables(Object.keys(environment));
    expect(Object.keys(needed)).toEqual(composed("nats-").map(([name]) => name));
    expect(hostsIn(environment.OPENCLAW_PROXY_NATS_URL)).toEqual(Object.keys(needed));
  }
  for (const [name, { environment }] of composed("nats-")) expect(environment.SERVER_NAME).toBe(name);
  for (const [, { volumes }] of Object.entries<Json>(compose.services)) {
    for (const volume of volumes as string[]) {
      const [source = ""] = volume.split(":");
      expect([volume, source.startsWith(".") ? existsSync(join(folder, source)) : source in compose.volumes]).toEqual([
        volume,
        true,
      ]);
    }
  }
  expect(existsSync(join(folder, compose.services["proxy-1"].build, "Dockerfile"))).toBe(true);
  expect([...natsConfig.matchAll(/nats:\/\/([\w-]+):6222/g)].map(([, host]) => host)).toEqual(
    composed("nats-").map(([name]) => name),
  );
  expect([...balancerConfig.matchAll(/^ +server ([\w-]+) \1:8000$/gm)].map(([, name]) => name)).toEqual(
    composed("proxy-").map(([name]) => name),
  );
});

test("the Kubernetes manifests fit together, and give an instance the time to hand over its apps", async () => {
  expect(documents.flatMap(({ errors, warnings }) => [...errors, ...warnings])).toEqual([]);
  const { spec: proxy } = resource("Deployment", "clawport-proxy").spec.template;
  const [container] = proxy.containers;
  const [, slept] = container.lifecycle.preStop.exec.command;
  expect(proxy.terminationGracePeriodSeconds).toBeGreaterThan(Number(slept) + checkArgs(container.args) + afterDrain);
  expect(container.readinessProbe.httpGet.path).toBe("/ready");
  expect(container.livenessProbe.httpGet.path).toBe("/health");
  await checkVariables(container.env.map(({ name }: Json) => name).filter((name: string) => name !== "NATS_PASSWORD"));

  const nats = resource("StatefulSet", "clawport-nats").spec;
  const pods = Array.from({ length: nats.replicas }, (_, at) => `clawport-nats-${at}.${nats.serviceName}`);
  const url = container.env.find(({ name }: Json) => name === "OPENCLAW_PROXY_NATS_URL").value;
  expect(hostsIn(url)).toEqual(pods);
  const config: string = resource("ConfigMap", "clawport-nats").data["nats.conf"];
  expect([...config.matchAll(/nats:\/\/([\w.-]+):6222/g)].map(([, host]) => host)).toEqual(pods);
  expect(permissionsOf(config)).toEqual(permissionsOf(natsConfig));

  const labelled = new Set(["clawport-nats", "clawport-proxy"]);
  for (const { kind, metadata, spec } of resources) {
    if (kind === "ConfigMap") continue;
    const { app } = spec.selector?.matchLabels ?? spec.selector ?? spec.podSelector.matchLabels;
    expect([kind, app, labelled.has(app)]).toEqual([kind, metadata.name, true]);
  }
  expect(resources.filter(({ kind }) => kind === "PodDisruptionBudget")).toHaveLength(2);
  const page = await read("docs/proxy-instances.md");
  expect(permissionsOf(page)).toEqual(permissionsOf(natsConfig));
  const secrets = JSON.stringify(resources).matchAll(/"secretKeyRef":\{"name":"clawport","key":"([\w-]+)"/g);
  for (const [, key] of secrets) expect(page).toContain(`--from-literal=${key}=`);
});

test.skipIf(!hasPrograms)(
  "a proxy does all its work as the NATS user of these files, behind the balancer",
  async () => {
    await using place = await makePlace();
    const file = join(place.folder, "nats.conf");
    const alone = natsConfig.replace(/^cluster \{[\s\S]*?^\}/m, "").replace(/^http: .*$/m, "");
    await writeFile(
      file,
      alone
        .replace("$SERVER_NAME", "one")
        .replace("$NATS_PASSWORD", "pw_1")
        .replace("store_dir: /data", `store_dir: ${place.folder}/nats`),
    );
    // JetStream is enabled by the file.
    await using nats = await startNatsServer({ jetStream: false, args: ["-c", file] });
    const port = await freePort();
    const address = `http://127.0.0.1:${port}`;
    const env = { ...place.env, ...tokens, OPENCLAW_PROXY_NATS_URL: nats.url.replace("//", "//proxy:pw_1@") };
    const args = (compose.services["proxy-1"].command as string[]).map((arg) =>
      arg.replace("8000", "0").replace(/\$\{.*\}/, address),
    );
    await using first = await startProxyProcess({ ...place, env }, ...args);
    await using second = await startProxyProcess({ ...place, env }, ...args);

    const config = join(place.folder, "haproxy.cfg");
    const [one, two] = [first, second].map(({ ready }) => `127.0.0.1:${ready.port}`);
    await writeFile(
      config,
      balancerConfig
        .replace("bind :8000", `bind 127.0.0.1:${port}`)
        .replace("proxy-1:8000", one!)
        .replace("proxy-2:8000", two!)
        .replace(/^.*proxy-3:8000$/m, ""),
    );
    expect((await runProgram(debianPackages.haproxy, ["-c", "-f", config], { env: process.env })).exit).toBe(0);
    const balancer = spawn(debianPackages.haproxy, ["-db", "-f", config], { stdio: "ignore" });
    try {
      const isUp = () =>
        fetch(`${address}/ready`).then(
          ({ status }) => status,
          () => 0,
        );
      await expect.poll(isUp, { timeout: 10_000 }).toBe(200);
      const client = createProxyClient(address, tokens);
      const session = await client.create();
      expect(session.bridge_url).toContain(`:${port}/`);
      await using _ = await openApp(session.bridge_url, { headers: { authorization: "Bearer a" } });
      // An app is connected a moment before every instance can reach it.
      await expect.poll(() => client.call(session, "echo_text", { text: "hi" })).toContain("hi");
      for (let call = 0; call < 4; call++) {
        expect(await client.call(session, "echo_text", { text: `hi ${call}` })).toContain(`hi ${call}`);
      }
      expect(
        (await client.ask("DELETE", `/v1/chat/sessions/${session.mcpSessionId}`, undefined, bearer("a"))).status,
      ).toBe(200);
    } finally {
      if (balancer.exitCode === null && balancer.kill()) await once(balancer, "exit");
    }
  },
);

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** All are flags of the command. Returns the seconds of `--drain`. */
function checkArgs(args: readonly string[]): number {
  const flags = args.map((arg) => /^--([\w-]+)=/.exec(arg)?.[1] ?? arg);
  expect(flags.filter((flag) => !(flag in command.options!))).toEqual([]);
  return Number(args.find((arg) => arg.startsWith("--drain="))?.slice("--drain=".length));
}

async function checkVariables(names: readonly string[]): Promise<void> {
  const known = await read("src/hub/engine/apps/proxy-settings.ts");
  const shared = await read("src/hub/engine/apps/open-shared-apps.ts");
  const isKnown = (name: string) =>
    known.includes(`"${name.replace("OPENCLAW_PROXY_", "")}"`) || shared.includes(`env.${name}`);
  expect(names.length).toBeGreaterThan(2);
  expect(names.filter((name) => !isKnown(name))).toEqual([]);
}

function hostsIn(urls: string): string[] {
  return urls.split(",").map((url) => /([\w.-]+):4222$/.exec(url)?.[1] ?? url);
}

function permissionsOf(config: string): readonly string[] {
  const [text = ""] = /permissions: \{[\s\S]*?\n\s+\}/.exec(config) ?? [];
  return [...text.matchAll(/"(.+?)"/g)].map(([, subject]) => subject!);
}
