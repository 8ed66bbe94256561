/** A piece of a valid document. Faults change its `raw`, and what all pieces give together is the faulty text. */
export interface Piece {
  readonly kind: 'opener' | 'closer' | 'comma' | 'colon' | 'string' | 'number' | 'literal' | 'blank';
  readonly role: 'name' | 'value';
  /** What stood there before any fault. */
  readonly original: string;
  raw: string;
  /** Of containers: how deep; of all others: the depth they stand at. */
  readonly depth: number;
}

const token = /"(?:[^"\\]|\\.)*"|[[\]{},:]|[-0-9][-+.0-9eE]*|true|false|null|\s+/gy;

/** Cuts valid JSON into pieces. Knows nothing of the decoder. */
export function lex(text: string): Piece[] {
  const pieces: Piece[] = [];
  let depth = 0;
  for (const [raw] of text.matchAll(token)) {
    if (raw === '}' || raw === ']') depth -= 1;
    pieces.push({ kind: kindOf(raw), role: 'value', original: raw, raw, depth });
    if (raw === '{' || raw === '[') depth += 1;
  }
  return pieces.map((piece, at) => (piece.kind === 'string' && solid(pieces, at)?.kind === 'colon' ? { ...piece, role: 'name' } : piece));
}

/** The next piece that is not blank. */
export const solid = (pieces: readonly Piece[], at: number): Piece | undefined =>
  pieces.slice(at + 1, at + 3).find(({ kind }) => kind !== 'blank');

export const join = (pieces: readonly Piece[]): string => pieces.map(({ raw }) => raw).join('');

function kindOf(raw: string): Piece['kind'] {
  const first = raw.charAt(0);
  if (first === '{' || first === '[') return 'opener';
  if (first === '}' || first === ']') return 'closer';
  if (first === ',') return 'comma';
  if (first === ':') return 'colon';
  if (first === '"') return 'string';
  if (/\s/.test(first)) return 'blank';
  return /[-0-9]/.test(first) ? 'number' : 'literal';
}
