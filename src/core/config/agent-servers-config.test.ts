import { expect, test } from "vitest";
import { mayUseServer } from "./agent-servers-config.ts";

test("an agent named like a property of every object gets what agents without a list get", () => {
  const agents = { defaults: { servers: ["web"] }, work: { servers: ["mail"] } };
  for (const agent of ["constructor", "toString", "hasOwnProperty", "unlisted", undefined])
    expect(["web", "mail"].filter((server) => mayUseServer(agents, agent, server))).toEqual(["web"]);
  expect(mayUseServer(agents, "work", "mail")).toBe(true);
});
