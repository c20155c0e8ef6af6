import { expect, test } from "vitest";
import { createVisitor } from "../support/oauth/consent.ts";
import { filesUnder, findSecrets } from "../support/find-secrets.ts";
import { listenIn } from "./listen-in.ts";
import { openOAuthPlace } from "./open-oauth-place.ts";

const secret = "the-secret-of-the-client-that-was-registered-by-hand";

test(
  "no log, audit, fault, answer or file of a whole life with a server holds a code, verifier, token or secret",
  { timeout: 90_000 },
  async () => {
    const grant_types = ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"];
    const client = {
      client_id: "by-hand",
      client_secret: secret,
      grant_types,
      application_type: "native",
      redirect_uris: ["http://127.0.0.1/callback"],
    };
    const auth = { clientId: "by-hand", clientSecret: "$CLIENT_SECRET" };
    await using bench = await openOAuthPlace({ clients: [client] });
    bench.place.env["CLIENT_SECRET"] = secret;
    await bench.place.configure({ one: { url: bench.server.url }, two: { url: bench.server.url, auth } });
    const { said, run, startTalkingHub } = listenIn(bench.place);
    const signIn = async (name: string) => {
      const { url } = JSON.parse(await run("auth", name, "--no-browser", "--json")) as { url: string };
      return createVisitor().consent(url);
    };

    {
      await using _ = await startTalkingHub();
      for (const name of ["one", "two"]) {
        const spoilt = await signIn(name);
        spoilt.searchParams.set("code", `${spoilt.searchParams.get("code")}x`);
        await run("auth", name, "--code", spoilt.href, "--json");
        const left = await signIn(name);
        await run("auth", name, "--code", left.href);
        await run("auth", name, "--code", left.href, "--json");
        await run("call", `${name}__read`, "--json");
        await run("call", `${name}__write`);
        await bench.authority.expire(bench.server.seen.at(-1) ?? "");
        await run("call", `${name}__read`);
        await run("status", name, "--json");
      }
      for (const words of [
        ["servers"],
        ["auth", "--list"],
        ["auth", "--list", "--json"],
        ["doctor", "--json"],
        ["audit"],
      ])
        await run(...words);
      await bench.authority.revokeAll();
      for (const name of ["one", "two"]) await run("call", `${name}__read`);
      await run("auth", "two", "--code", (await signIn("two")).searchParams.get("code") ?? "", "--json");
      await run("auth", "two", "--logout", "--json");
      await run("auth", "one", "--logout");
    }

    const written = await filesUnder(bench.place.folder);
    expect(Object.keys(written).some((file) => file.includes("audit"))).toBe(true);
    expect(said["hub"]).toContain("debug");
    expect(bench.authority.secrets.size).toBeGreaterThan(12);
    const secrets = [...bench.authority.secrets, secret];
    expect(findSecrets({ planted: `?code=${encodeURIComponent(secrets[0] ?? "")}&x=1` }, secrets)).toHaveLength(1);
    expect(findSecrets({ ...said, ...written }, secrets)).toEqual([]);
  },
);
