import { lineMax } from './line.js';

/** The lines of a file as they come. One that is too long is cut just past the bound, so that no file can fill the memory. */
export async function* boundedLines(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let line = '';
  for await (const chunk of chunks) {
    const parts = chunk.split('\n');
    for (const [index, part] of parts.entries()) {
      if (index > 0) {
        yield line.endsWith('\r') ? line.slice(0, -1) : line;
        line = '';
      }
      if (line.length <= lineMax) line += part.slice(0, lineMax + 1 - line.length);
    }
  }
  if (line !== '') yield line;
}
