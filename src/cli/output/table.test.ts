import { expect, test } from "vitest";
import { renderTable } from "./table.ts";

const columns = [
  { title: "NAME", text: (row: readonly string[]) => row[0] ?? "" },
  { title: "MEANING", text: (row: readonly string[]) => row[1] ?? "", paint: (text: string) => `<${text}>` },
];

test("columns line up, and colour counts for nothing in their width", () => {
  const rows = [
    ["a", "first"],
    ["bcdef", "second"],
  ];
  expect(renderTable(rows, columns)).toBe(["NAME   MEANING", "a      <first>", "bcdef  <second>"].join("\n"));
});

test("the last column is cut to the width of the terminal", () => {
  const line = renderTable([["a", "x".repeat(100)]], columns, { width: 30 }).split("\n")[1];
  expect(line).toBe(`a     <${"x".repeat(23)}…>`);
});

test("what would move the cursor or begin a new line is shown as a dot", () => {
  expect(renderTable([["a\u001B[2J\r\nb", "\u202Ec"]], columns).split("\n")[1]).toBe("a·[2J·b  <·c>");
});
