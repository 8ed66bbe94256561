/** Bytes of a provider's answer that are read; the rest is refused while it streams. */
export const answerBytesMax = 262_144;

/** The body as text, or null where it passes `bytesMax`. Counted while it streams, and never held beyond the bound. */
export async function readBounded(response: Response, bytesMax: number): Promise<string | null> {
  if (response.body === null) return '';
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop cancels the stream.
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength;
    if (bytes > bytesMax) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
