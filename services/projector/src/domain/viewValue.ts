/** Which of two values is newer: the greater generation, and within one the later position. */
export interface ViewPair {
  /** One incarnation of the log under one version of the projection. */
  readonly generation: number;
  /** The last event folded into the run. */
  readonly position: number;
}

/** One value of a view. */
export interface ViewValue extends ViewPair {
  /** Canonical JSON text. */
  readonly row: string;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const shape = /^\{"generation":(\d{1,15}),"position":(\d{1,15}),"row":(\{.*\})\}$/s;

/** The value as canonical JSON. The row is canonical already, and the keys stand in their order. */
export const encodeViewValue = ({ generation, position, row }: ViewValue): Uint8Array =>
  encoder.encode(`{"generation":${generation},"position":${position},"row":${row}}`);

/** What cannot be read is older than everything: whoever wrote it, it was no projector. */
const unreadable: ViewValue = { generation: 0, position: 0, row: '' };

/** A stored value. Only projectors write here, in the one form above, so the row needs no parsing. */
export function readViewValue(bytes: Uint8Array): ViewValue {
  const [, generation, position, row] = shape.exec(decoder.decode(bytes)) ?? [];
  return row === undefined ? unreadable : { generation: Number(generation), position: Number(position), row };
}
