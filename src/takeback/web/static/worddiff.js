/** What differs between two texts, word by word, as spans to mark. Long ones are left unmarked: marks would not help there. */

const MOST = 700;

/**
 * @param {string} before
 * @param {string} after
 * @returns {{before: [boolean, string][], after: [boolean, string][]}} pieces, each with whether it differs
 */
export function wordDiff(before, after) {
  const a = before.match(/\w+|\s+|[^\w\s]/gu) ?? [];
  const b = after.match(/\w+|\s+|[^\w\s]/gu) ?? [];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  const inner = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  const [left, right] = inner[0].length > MOST || inner[1].length > MOST ? inner.map((words) => words.map((word) => /** @type {[boolean, string]} */ ([true, word]))) : marked(...inner);
  const around = (words, middle) => joined([...words.slice(0, start).map(same), ...middle, ...words.slice(words.length - end).map(same)]);
  return { before: around(a, left), after: around(b, right) };
}

const same = (word) => /** @type {[boolean, string]} */ ([false, word]);

/** By the longest common subsequence. */
function marked(a, b) {
  const width = b.length + 1;
  const table = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      table[i * width + j] = a[i] === b[j] ? table[(i + 1) * width + j + 1] + 1 : Math.max(table[(i + 1) * width + j], table[i * width + j + 1]);
    }
  }
  const left = [];
  const right = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      left.push([false, a[i++]]);
      right.push([false, b[j++]]);
    } else if (j >= b.length || (i < a.length && table[(i + 1) * width + j] >= table[i * width + j + 1])) left.push([true, a[i++]]);
    else right.push([true, b[j++]]);
  }
  return [left, right];
}

function joined(pieces) {
  const made = [];
  for (const [differs, text] of pieces) {
    if (made.length && made[made.length - 1][0] === differs) made[made.length - 1][1] += text;
    else made.push([differs, text]);
  }
  return made;
}
