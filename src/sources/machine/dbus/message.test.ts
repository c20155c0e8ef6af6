import { array, assert, nat, property, tuple } from "fast-check";
import { expect, test } from "vitest";
import { isFault } from "../../../core/fault.ts";
import { DbusReader, DbusWriter } from "./marshal.ts";
import { type DbusMessage, dbusMessageLength, decodeDbusMessage, encodeDbusMessage } from "./message.ts";

const call: DbusMessage = {
  type: "call",
  serial: 7,
  path: "/org/freedesktop/Notifications",
  interface: "org.freedesktop.Notifications",
  member: "Notify",
  destination: "org.freedesktop.Notifications",
  signature: "susssasa{sv}i",
  body: ["app", 0, "", "Grüße", "body", ["0", "Yes"], { urgency: { signature: "y", value: 2 } }, -1],
};

test("a message is read as it was written", () => {
  const bytes = encodeDbusMessage(call);
  expect(dbusMessageLength(bytes)).toBe(bytes.length);
  const { body, ...head } = decodeDbusMessage(bytes);
  const { body: _, ...written } = call;
  expect(head).toEqual(written);
  expect(body).toEqual(["app", 0, "", "Grüße", "body", ["0", "Yes"], new Map([["urgency", 2]]), -1]);
});

test("a message is read as it was written, whatever the length of its texts", () => {
  for (let length = 0; length <= 4096; length++) {
    const body = ["app", 0, "", "t".repeat(length % 97), "b".repeat(length), ["0", "Yes"], {}, -1];
    const written = encodeDbusMessage({ ...call, body });
    expect(decodeDbusMessage(written).body).toEqual([...body.slice(0, 6), new Map(), -1]);
  }
});

test.each([
  ["y", 255],
  ["b", true],
  ["n", -5],
  ["q", 65_535],
  ["i", -1],
  ["u", 4_294_967_295],
  ["x", -(2 ** 40)],
  ["t", 2 ** 40],
  ["d", 1.5],
  ["s", "text"],
  ["o", "/path"],
  ["g", "a{sv}"],
  ["as", ["a", "b"]],
  ["a(si)", [["a", 1]]],
  ["aai", [[1], [], [2, 3]]],
  ["(yd)", [1, 2.5]],
])("%s: %j", (signature, value) => {
  const writer = new DbusWriter();
  writer.write("y", 1);
  writer.write(signature, value);
  const reader = new DbusReader(writer.bytes(), true);
  expect([reader.read("y"), reader.read(signature)]).toEqual([1, value]);
});

test("nonsense from the bus is a fault, never an endless loop or a crash", () => {
  const good = encodeDbusMessage(call);
  const read = (bytes: Buffer): unknown => {
    try {
      const length = dbusMessageLength(bytes);
      return length === undefined ? "more" : decodeDbusMessage(bytes.subarray(0, length)).type;
    } catch (error) {
      return isFault(error) ? "fault" : error;
    }
  };
  const edits = array(tuple(nat(good.length - 1), nat(255)), { maxLength: 8 });
  assert(
    property(edits, nat(good.length), (changes, cut) => {
      const bytes = Buffer.from(good.subarray(0, cut));
      for (const [at, value] of changes) if (at < bytes.length) bytes[at] = value;
      expect(["more", "fault", "call", "return", "error", "signal"]).toContain(read(bytes));
    }),
    { numRuns: 2000 },
  );
});
