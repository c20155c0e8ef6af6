import { expect, test } from "vitest";
import { createStyle } from "./style.ts";
import { renderTable } from "./table.ts";

const columns = [
  { title: "NAME", text: (row: readonly string[]) => row[0] ?? "" },
  { title: "MEANING", text: (row: readonly string[]) => row[1] ?? "" },
];

function render(rows: readonly (readonly string[])[], width?: number, coloured = false): string[] {
  const stdout = { write: () => {}, ...(width === undefined ? {} : { columns: width }) };
  return renderTable(rows, columns, { stdout, style: createStyle(coloured) }).split("\n");
}

test("columns line up under bold titles", () => {
  const rows = [
    ["a", "first"],
    ["bcdef", "second"],
  ];
  expect(render(rows)).toEqual(["NAME   MEANING", "a      first", "bcdef  second"]);
  expect(render(rows, undefined, true)[0]).toBe("\u001B[1mNAME   MEANING\u001B[22m");
});

test("the last column is cut to the width of the terminal", () => {
  expect(render([["a", "x".repeat(100)]], 30)[1]).toBe(`a     ${"x".repeat(23)}…`);
});

test.each([20, 30, 44])("a table with several long columns fits %i columns of a terminal", (width) => {
  const lines = render([["n".repeat(60), "m".repeat(50)]], width);
  expect(lines.map(({ length }) => length)).toEqual([expect.any(Number), width]);
  expect(lines[1]).toMatch(/^n+… {2}m+…$/);
});

test("characters that take two columns count twice, and marks that join the one before do not count", () => {
  const [, line = ""] = render([["日本語".repeat(10), "x"]], 24);
  expect(line).toBe("日本語日本語日…  x");
  expect(render([["e\u0301e", "x"]])[1]).toBe("e\u0301e    x");
});

test("a cell is coloured by its meaning without moving the next one", () => {
  const toned = [{ ...columns[0]!, tone: () => "good" as const }, columns[1]!];
  const shown = renderTable([["a", "b"]], toned, { stdout: { write: () => {} }, style: createStyle(true) });
  expect(shown.split("\n")[1]).toBe("\u001B[32ma\u001B[39m     b");
});

test("numbers stand under each other", () => {
  const numbers = columns.map((column) => ({ ...column, align: "right" as const }));
  const rows = [
    ["7", "12"],
    ["1,234", "5"],
  ];
  const shown = renderTable(rows, numbers, { stdout: { write: () => {} }, style: createStyle(false) });
  expect(shown.split("\n")).toEqual([" NAME  MEANING", "    7       12", "1,234        5"]);
});

test("text that would move the cursor or start a new line is shown as a dot", () => {
  expect(render([["a\u001B[2J\r\nb", "\u202Ec"]])[1]).toBe("a·[2J·b  ·c");
});
