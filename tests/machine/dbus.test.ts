import {
  type Arbitrary,
  array,
  assert,
  asyncProperty,
  boolean,
  double,
  integer,
  oneof,
  string,
  tuple,
} from "fast-check";
import { expect, test } from "vitest";
import { type DbusConnection, openDbus } from "../../src/sources/machine/dbus/connection.ts";
import { exportObjects } from "../../src/sources/machine/dbus/exported-objects.ts";
import { hasPackages } from "./desktop/require-programs.ts";
import { startBus } from "./start-bus.ts";

const hasBus = await hasPackages("dbus-daemon", "dbus-bin");

interface Typed {
  readonly signature: string;
  readonly value: unknown;
}

const of = (signature: string, values: Arbitrary<unknown>): Arbitrary<Typed> =>
  values.map((value) => ({ signature, value }));
const simple: Arbitrary<Typed> = oneof(
  of("y", integer({ min: 0, max: 255 })),
  of("b", boolean()),
  of("n", integer({ min: -32_768, max: 32_767 })),
  of("u", integer({ min: 0, max: 4_294_967_295 })),
  of("i", integer()),
  of("d", double({ noNaN: true })),
  of(
    "s",
    string({ unit: "grapheme", maxLength: 300 }).map((text) => text.replaceAll("\0", "")),
  ),
);
const listOf = (one: Arbitrary<Typed>): Arbitrary<Typed> =>
  one.chain(({ signature, value }) =>
    integer({ min: 0, max: 5 }).map((count) => ({
      signature: `a${signature}`,
      value: Array.from({ length: count }, () => value),
    })),
  );
const structOf = (one: Arbitrary<Typed>): Arbitrary<Typed> =>
  array(one, { minLength: 1, maxLength: 4 }).map((parts) => ({
    signature: `(${parts.map((part) => part.signature).join("")})`,
    value: parts.map((part) => part.value),
  }));
const value = oneof(simple, listOf(simple), structOf(simple), listOf(structOf(simple)), structOf(listOf(simple)));

test.skipIf(!hasBus)(
  "messages of all types pass a real bus, which hangs up on a malformed one, and come back equal",
  async () => {
    await using bus = await startBus();
    const [one, other] = await Promise.all([openDbus(bus.address), openDbus(bus.address)]);
    const name = await uniqueName(other);
    other.serve(({ signature = "", body = [] }) => ({ signature, body }));
    const target = { destination: name, path: "/", interface: "test.Echo", member: "Echo" };
    await assert(
      asyncProperty(tuple(value, value), async (values) => {
        const signature = values.map((each) => each.signature).join("");
        const body = values.map((each) => each.value);
        expect(await one.call({ ...target, signature, body })).toEqual(body);
      }),
      { numRuns: 300 },
    );
    one.close();
    other.close();
  },
);

test.skipIf(!hasBus)("an exported object answers as its table says, and refuses all else by name", async () => {
  await using bus = await startBus();
  const [one, other] = await Promise.all([openDbus(bus.address), openDbus(bus.address)]);
  const heard: unknown[] = [];
  const object = exportObjects(other, {
    "/thing": {
      name: "test.Thing",
      properties: { Colour: { signature: "s", read: () => "red" } },
      methods: { Double: { takes: "i", returns: "i", run: ([count]) => [Number(count) * 2] } },
      signals: { Changed: "s" },
    },
  });
  const thing = { destination: await uniqueName(other), path: "/thing", interface: "test.Thing" };
  const properties = { ...thing, interface: "org.freedesktop.DBus.Properties" };
  expect(await one.call({ ...thing, member: "Double", signature: "i", body: [21] })).toEqual([42]);
  expect(await one.call({ ...properties, member: "GetAll", signature: "s", body: ["test.Thing"] })).toEqual([
    new Map([["Colour", "red"]]),
  ]);
  const refused = async (call: Parameters<DbusConnection["call"]>[0]): Promise<unknown> =>
    one.call(call).catch((error: { detail?: unknown }) => error.detail);
  const nameOf = (error: string) => ({ error: `org.freedesktop.DBus.Error.${error}` });
  expect(await refused({ ...thing, member: "Double", signature: "s", body: ["x"] })).toEqual(nameOf("InvalidArgs"));
  expect(await refused({ ...thing, member: "toString" })).toEqual(nameOf("UnknownMethod"));
  expect(await refused({ ...thing, path: "/other", member: "Double" })).toEqual(nameOf("UnknownObject"));
  expect(await refused({ ...thing, interface: "test.Other", member: "Double" })).toEqual(nameOf("UnknownInterface"));
  const set = {
    ...properties,
    member: "Set",
    signature: "ssv",
    body: ["test.Thing", "Colour", { signature: "s", value: "" }],
  };
  expect(await refused(set)).toEqual(nameOf("PropertyReadOnly"));
  await one.listen("type='signal',interface='test.Thing'", ({ member, body }) => heard.push(member, body));
  object("/thing").emit("Changed", "blue");
  await expect.poll(() => heard).toEqual(["Changed", ["blue"]]);
  one.close();
  other.close();
});

async function uniqueName(connection: DbusConnection): Promise<string> {
  const bus = { destination: "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus" };
  const name = `test.Name${Math.random().toString(36).slice(2)}`;
  await connection.call({ ...bus, member: "RequestName", signature: "su", body: [name, 0] });
  return name;
}
