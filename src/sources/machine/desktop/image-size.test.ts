import { expect, test } from "vitest";
import { imageSize } from "./image-size.ts";

test("the size is in the header of a PNG", () => {
  const png = Buffer.alloc(33);
  png.writeUInt32BE(0x89504e47, 0);
  png.writeUInt32BE(640, 16);
  png.writeUInt32BE(480, 20);
  expect(imageSize(png)).toEqual({ width: 640, height: 480 });
});

test("the size is in the first frame header of a JPEG", () => {
  const start = [0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2, 0xff, 0xc4, 0, 3, 9];
  const frame = [0xff, 0xc2, 0, 17, 8, 0x01, 0xe0, 0x02, 0x80, 3, 0, 0];
  expect(imageSize(Buffer.from([...start, ...frame]))).toEqual({ width: 640, height: 480 });
});

test.each([
  ["nothing", []],
  ["another format", [0x42, 0x4d, 1, 2, 3, 4, 5, 6]],
  ["a JPEG that ends early", [0xff, 0xd8, 0xff, 0xe0, 0xff, 0xff, 1, 2, 3, 4, 5, 6, 7]],
])("%s is no picture", (_, bytes) => {
  expect(() => imageSize(Buffer.from(bytes))).toThrow("no picture");
});
