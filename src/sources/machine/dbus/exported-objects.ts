import { type DbusConnection, DbusRefusal, type DbusReply } from "./connection.ts";
import { splitSignature } from "./marshal.ts";
import type { DbusMessage } from "./message.ts";

/** An interface of an object that others on the bus can use. Each name has its signature. */
export interface ExportedInterface {
  readonly name: string;
  readonly properties: Readonly<Record<string, ExportedProperty>>;
  readonly methods: Readonly<Record<string, ExportedMethod>>;
  readonly signals: Readonly<Record<string, string>>;
}

/** Read-only: nothing here can be set from outside. */
export interface ExportedProperty {
  readonly signature: string;
  read(): unknown;
}

export interface ExportedMethod {
  readonly takes: string;
  readonly returns: string;
  /** The arguments have the types of `takes`. */
  run(args: readonly unknown[]): readonly unknown[];
}

export interface ExportedObject {
  /** Faults if there is no such signal. */
  emit(signal: string, ...body: readonly unknown[]): void;
}

const errors = "org.freedesktop.DBus.Error";
const propertiesName = "org.freedesktop.DBus.Properties";
const introspectableName = "org.freedesktop.DBus.Introspectable";
const peerName = "org.freedesktop.DBus.Peer";

/** Offers objects on the bus, by their paths, with the three standard interfaces. */
export function exportObjects(
  bus: DbusConnection,
  objects: Readonly<Record<string, ExportedInterface>>,
): (path: string) => ExportedObject {
  bus.serve((call) => {
    const path = call.path ?? "";
    const found = Object.hasOwn(objects, path) ? objects[path] : undefined;
    if (found === undefined) throw new DbusRefusal(`${errors}.UnknownObject`, "There is no such object.");
    return answer(found, call);
  });
  return (path) => {
    const { name, signals } = objects[path]!;
    return {
      emit(member, ...body) {
        const signature = signals[member];
        if (signature === undefined) throw new TypeError(`no signal ${member}`);
        bus.emit({ path, interface: name, member, signature, body });
      },
    };
  };
}

function answer(object: ExportedInterface, call: DbusMessage): DbusReply {
  const standard: readonly ExportedInterface[] = [propertiesOf(object), introspectable(object), peer];
  const meant = [object, ...standard].filter(({ name }) => call.interface === undefined || call.interface === name);
  if (meant.length === 0) throw new DbusRefusal(`${errors}.UnknownInterface`, "There is no such interface.");
  const member = call.member ?? "";
  const method = meant
    .map(({ methods }) => (Object.hasOwn(methods, member) ? methods[member] : undefined))
    .find(Boolean);
  if (method === undefined) throw new DbusRefusal(`${errors}.UnknownMethod`, "There is no such method.");
  if ((call.signature ?? "") !== method.takes)
    throw new DbusRefusal(`${errors}.InvalidArgs`, `The arguments must be of type "${method.takes}".`);
  return { signature: method.returns, body: method.run(call.body ?? []) };
}

function propertiesOf({ name, properties }: ExportedInterface): ExportedInterface {
  const variantOf = ({ signature, read }: ExportedProperty) => ({ signature, value: read() });
  const requireOwn = (asked: unknown): void => {
    if (asked !== name && asked !== "")
      throw new DbusRefusal(`${errors}.UnknownInterface`, "There is no such interface.");
  };
  return {
    name: propertiesName,
    properties: {},
    signals: {},
    methods: {
      Get: {
        takes: "ss",
        returns: "v",
        run([asked, property]) {
          requireOwn(asked);
          const found = Object.hasOwn(properties, String(property)) ? properties[String(property)] : undefined;
          if (found === undefined) throw new DbusRefusal(`${errors}.UnknownProperty`, "There is no such property.");
          return [variantOf(found)];
        },
      },
      GetAll: {
        takes: "s",
        returns: "a{sv}",
        run([asked]) {
          requireOwn(asked);
          return [Object.fromEntries(Object.entries(properties).map(([key, value]) => [key, variantOf(value)]))];
        },
      },
      Set: {
        takes: "ssv",
        returns: "",
        run() {
          throw new DbusRefusal(`${errors}.PropertyReadOnly`, "This can't be set.");
        },
      },
    },
  };
}

const peer: ExportedInterface = {
  name: peerName,
  properties: {},
  signals: {},
  methods: { Ping: { takes: "", returns: "", run: () => [] } },
};

function introspectable(object: ExportedInterface): ExportedInterface {
  return {
    name: introspectableName,
    properties: {},
    signals: {},
    methods: { Introspect: { takes: "", returns: "s", run: () => [describe(object)] } },
  };
}

/** D-Bus Specification, "Introspection Data Format". */
function describe({ name, properties, methods, signals }: ExportedInterface): string {
  const args = (signature: string, direction = ""): string =>
    splitSignature(signature)
      .map((type) => `<arg type="${type}"${direction}/>`)
      .join("");
  const [into, out] = [' direction="in"', ' direction="out"'];
  const lines = [
    ...Object.entries(properties).map(
      ([key, { signature }]) => `<property name="${key}" type="${signature}" access="read"/>`,
    ),
    ...Object.entries(methods).map(
      ([key, { takes, returns }]) => `<method name="${key}">${args(takes, into)}${args(returns, out)}</method>`,
    ),
    ...Object.entries(signals).map(([key, signature]) => `<signal name="${key}">${args(signature)}</signal>`),
  ];
  return `<node><interface name="${name}">${lines.join("")}</interface></node>`;
}
