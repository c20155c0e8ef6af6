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

test("text that would move the cursor or start a new line is shown as a dot", () => {
  expect(render([["a\u001B[2J\r\nb", "\u202Ec"]])[1]).toBe("a·[2J·b  ·c");
});
