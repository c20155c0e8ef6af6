/** Words by their letters, to be walked while a text is read. What is known about the words at a node is filled in by the reader. */
export interface WordTree<T> {
  /** The child of a node for each letter; 0 if it has none. The root is 0. */
  readonly children: Uint16Array;
  /** Two for each node: for words that leave the tree there, and for the one that ends there. */
  readonly facts: (T | undefined)[];
}

/** Letters and digits of plain texts. */
export const alphabet = 36;
export const letterIndex = new Uint8Array(128);
for (const [index, sign] of "abcdefghijklmnopqrstuvwxyz0123456789".split("").entries())
  letterIndex[sign.charCodeAt(0)] = index;

/** Words with other signs or letters are left out. */
export function createWordTree<T>(words: readonly string[]): WordTree<T> {
  const plain = words.filter((word) => /^[a-z0-9]+$/.test(word));
  const children = new Uint16Array(alphabet * (1 + plain.reduce((sum, { length }) => sum + length, 0)));
  let nodes = 1;
  for (const word of plain) {
    let node = 0;
    for (let index = 0; index < word.length; index++) {
      const place = node * alphabet + letterIndex[word.charCodeAt(index)]!;
      node = children[place] ||= nodes++;
    }
  }
  return { children: children.slice(0, nodes * alphabet), facts: [] };
}
