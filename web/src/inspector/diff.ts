// Two texts, word by word: what is the same, what only one of them has. Knows no screen.

export interface Piece {
  kind: 'same' | 'left' | 'right';
  text: string;
}

/** So many edits are looked for; texts that differ in more are shown as wholly different. */
const EDITS_MAX = 400;

/** The shortest way from one text to the other, in words (Myers' greedy search). */
export function diffWords(left: string, right: string): Piece[] {
  if (left === right) return left ? [{ kind: 'same', text: left }] : [];
  const [one, other] = [words(left), words(right)];
  let head = 0;
  while (head < one.length && head < other.length && one[head] === other[head]) head += 1;
  let tail = 0;
  while (
    tail < one.length - head &&
    tail < other.length - head &&
    one[one.length - 1 - tail] === other[other.length - 1 - tail]
  ) {
    tail += 1;
  }
  const middle = search(one.slice(head, one.length - tail), other.slice(head, other.length - tail));
  const pieces: Piece[] = [
    { kind: 'same', text: one.slice(0, head).join('') },
    ...middle,
    { kind: 'same', text: one.slice(one.length - tail).join('') },
  ];
  return joined(tail ? pieces : pieces.slice(0, -1));
}

function words(text: string): string[] {
  return text.match(/\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? [];
}

function search(left: string[], right: string[]): Piece[] {
  const replaced: Piece[] = [
    { kind: 'left', text: left.join('') },
    { kind: 'right', text: right.join('') },
  ];
  if (!left.length || !right.length) return replaced;
  const trail: Map<number, number>[] = [];
  let reach = new Map<number, number>([[1, 0]]);
  for (let edits = 0; edits <= Math.min(EDITS_MAX, left.length + right.length); edits += 1) {
    trail.push(new Map(reach));
    for (let line = -edits; line <= edits; line += 2) {
      let x = goesDown(reach, line, edits) ? (reach.get(line + 1) ?? 0) : (reach.get(line - 1) ?? 0) + 1;
      while (x < left.length && x - line < right.length && left[x] === right[x - line]) x += 1;
      reach.set(line, x);
      if (x >= left.length && x - line >= right.length) return backtrack(trail, left, right);
    }
    reach = new Map(reach);
  }
  return replaced;
}

function goesDown(reach: Map<number, number>, line: number, edits: number): boolean {
  return line === -edits || (line !== edits && (reach.get(line - 1) ?? -1) < (reach.get(line + 1) ?? -1));
}

function backtrack(trail: Map<number, number>[], left: string[], right: string[]): Piece[] {
  const pieces: Piece[] = [];
  let [x, y] = [left.length, right.length];
  for (let edits = trail.length - 1; edits >= 0; edits -= 1) {
    const reach = trail[edits] ?? new Map<number, number>();
    const line = x - y;
    const down = goesDown(reach, line, edits);
    const fromX = reach.get(down ? line + 1 : line - 1) ?? 0;
    const fromY = fromX - (down ? line + 1 : line - 1);
    while (x > Math.max(fromX, 0) && y > Math.max(fromY, 0)) {
      x -= 1;
      y -= 1;
      pieces.push({ kind: 'same', text: left[x] ?? '' });
    }
    if (edits === 0) break;
    if (down) {
      y -= 1;
      pieces.push({ kind: 'right', text: right[y] ?? '' });
    } else {
      x -= 1;
      pieces.push({ kind: 'left', text: left[x] ?? '' });
    }
  }
  return pieces.reverse();
}

/** Neighbours of one kind become one piece; what was taken away stands before what was put in. */
function joined(pieces: Piece[]): Piece[] {
  const list: Piece[] = [];
  let [left, right] = ['', ''];
  const flush = () => {
    if (left) list.push({ kind: 'left', text: left });
    if (right) list.push({ kind: 'right', text: right });
    [left, right] = ['', ''];
  };
  for (const piece of pieces) {
    if (!piece.text) continue;
    if (piece.kind === 'left') left += piece.text;
    else if (piece.kind === 'right') right += piece.text;
    else {
      flush();
      const last = list.at(-1);
      if (last?.kind === 'same') last.text += piece.text;
      else list.push({ ...piece });
    }
  }
  flush();
  return list;
}
