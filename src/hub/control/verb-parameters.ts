import { Fault } from "../../core/fault.ts";
import { isRecord } from "../../core/is-record.ts";
import { quoted } from "../../core/peer-text.ts";

export type Fields = Readonly<Record<string, unknown>>;

/** How one parameter of a method travels in the JSON object of a request. */
export interface Parameter<T> {
  /** Faults with `bad-params` if a field has the wrong type. */
  read(fields: Fields): T;
  write(value: T): object;
}

export function text(name: string): Parameter<string> {
  return parameter(name, (value) => {
    if (typeof value !== "string") throw wrongType(name, "a string");
    return value;
  });
}

export function optionalText(name: string): Parameter<string | undefined> {
  const { read } = text(name);
  return parameter(name, (value, body) => (value === undefined ? undefined : read(body)));
}

export function optionalTexts(name: string): Parameter<readonly string[] | undefined> {
  return parameter(name, (value) => {
    if (value === undefined) return undefined;
    if (!Array.isArray(value) || !value.every((each) => typeof each === "string"))
      throw wrongType(name, "a list of strings");
    return value;
  });
}

export function texts(name: string): Parameter<readonly string[]> {
  const { read } = optionalTexts(name);
  return parameter(name, (_, body) => {
    const found = read(body);
    if (found === undefined) throw wrongType(name, "a list of strings");
    return found;
  });
}

/** A list whose items are checked by the method. */
export function list(name: string): Parameter<readonly unknown[]> {
  return parameter(name, (value) => {
    if (!Array.isArray(value)) throw wrongType(name, "a list");
    return value;
  });
}

/** Texts by name, such as headers. */
export function optionalTextMap(name: string): Parameter<Readonly<Record<string, string>> | undefined> {
  return parameter(name, (value) => {
    if (value === undefined) return undefined;
    if (!isRecord(value) || !Object.values(value).every((each) => typeof each === "string"))
      throw wrongType(name, "an object whose values are strings");
    return value as Readonly<Record<string, string>>;
  });
}

export function optionalNumber(name: string): Parameter<number | undefined> {
  return parameter(name, (value) => {
    if (value === undefined) return undefined;
    if (typeof value !== "number" || !Number.isInteger(value) || value < 0)
      throw wrongType(name, "a whole number, 0 or more");
    return value;
  });
}

export function optionalChoice<const Choice extends string>(
  name: string,
  choices: readonly Choice[],
): Parameter<Choice | undefined> {
  return parameter(name, (value) => {
    const found = choices.find((choice) => choice === value);
    if (found === undefined && value !== undefined)
      throw wrongType(name, choices.map((each) => quoted(each)).join(" or "));
    return found;
  });
}

export function choice<const Choice extends string>(name: string, choices: readonly Choice[]): Parameter<Choice> {
  const { read } = optionalChoice(name, choices);
  return parameter(name, (_, body) => {
    const found = read(body);
    if (found === undefined) throw wrongType(name, choices.map((each) => quoted(each)).join(" or "));
    return found;
  });
}

export function optionalFlag(name: string): Parameter<boolean | undefined> {
  return parameter(name, (value) => {
    if (value !== undefined && typeof value !== "boolean") throw wrongType(name, "true or false");
    return value;
  });
}

export function flag(name: string): Parameter<boolean> {
  return parameter(name, (value) => {
    if (value !== undefined && typeof value !== "boolean") throw wrongType(name, "true or false");
    return value ?? false;
  });
}

function parameter<T>(name: string, read: (value: unknown, body: Fields) => T): Parameter<T> {
  return {
    read: (body) => read(Object.hasOwn(body, name) ? body[name] : undefined, body),
    write: (value) => ({ [name]: value }),
  };
}

/** An object whose fields are fields of the request itself. */
export function fields<Shape extends Readonly<Record<string, Parameter<unknown>>>>(
  shape: Shape,
): Parameter<{ [Key in keyof Shape]: ReturnType<Shape[Key]["read"]> }> {
  type Value = { [Key in keyof Shape]: ReturnType<Shape[Key]["read"]> };
  return {
    read: (body) =>
      Object.fromEntries(Object.entries(shape).map(([key, { read }]) => [key, read(body)])) as unknown as Value,
    write: (value: Value | undefined) => value ?? {},
  };
}

function wrongType(name: string, expected: string): Fault {
  return new Fault("bad-params", `"${name}" must be ${expected}.`);
}
