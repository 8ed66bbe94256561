import {
  type CorrectedContent,
  capturedObjectBytesMax,
  correctedContentSchema,
  correctedObjectBytesMax,
  type EventOf,
  type ObjectRef,
  parseStrictJson,
  readCapturedSegments,
  type SpokenSegment,
} from '@emend/contracts';
import type { Objects } from '@emend/log';
import { type Nothing, type NothingCode, nothing } from '../domain/nothingToShow.js';

/** A bucket of objects, bound when first needed. */
export type BoundObjects = () => Promise<Pick<Objects, 'get'>>;

/** The segments of a source: from its event, or from the object that it names, whose length and hash are compared. */
export async function segmentsOfSource(
  objects: BoundObjects,
  { subject, data }: EventOf<'sourceCaptured'>,
): Promise<readonly SpokenSegment[] | Nothing> {
  const body = data.transcript?.body;
  if (body === undefined) return nothing('source_no_transcript', subject);
  if (!('object' in body)) return body.segments;
  const bytes = await objectOf(objects, body.object, { place: subject, side: 'source', bytesMax: capturedObjectBytesMax });
  if (!(bytes instanceof Uint8Array)) return bytes;
  return readCapturedSegments(bytes) ?? nothing('source_object_damaged', subject);
}

/** What a corrected transcript holds, from its event or from its object. */
export async function contentOfCorrected(
  objects: BoundObjects,
  { subject, data: { body } }: EventOf<'transcriptCorrected'>,
): Promise<Pick<CorrectedContent, 'segments' | 'corrections'> | Nothing> {
  if (!('object' in body)) return body;
  const bytes = await objectOf(objects, body.object, { place: subject, side: 'corrected', bytesMax: correctedObjectBytesMax });
  if (!(bytes instanceof Uint8Array)) return bytes;
  const parsed = parseStrictJson(new TextDecoder().decode(bytes));
  const content = parsed.kind === 'parsed' ? correctedContentSchema.safeParse(parsed.value) : null;
  return content?.success ? content.data : nothing('corrected_object_damaged', subject);
}

interface ObjectOf {
  readonly place: string;
  readonly side: 'source' | 'corrected';
  readonly bytesMax: number;
}

async function objectOf(objects: BoundObjects, ref: ObjectRef, { place, side, bytesMax }: ObjectOf): Promise<Uint8Array | Nothing> {
  const got = await (await objects()).get(ref, { bytesMax });
  if (got.kind === 'got') return got.bytes;
  const code: NothingCode = got.code === 'object_missing' ? `${side}_object_missing` : `${side}_object_damaged`;
  return nothing(code, place);
}
