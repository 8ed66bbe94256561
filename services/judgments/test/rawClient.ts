import { once } from 'node:events';
import { connect } from 'node:net';

/**
 * Publishes with a reply subject of the sender's choice, which no client of ours would, and resolves when the server has taken it.
 * The three words of the protocol that this needs are simpler than a client.
 */
export async function publishWithReply(
  url: string,
  message: { readonly subject: string; readonly reply: string; readonly bytes: Uint8Array },
): Promise<void> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const { subject, reply, bytes } = message;
  socket.write('CONNECT {"verbose":false,"pedantic":false,"lang":"test","version":"1"}\r\n');
  socket.write(`PUB ${subject} ${reply} ${bytes.byteLength}\r\n`);
  socket.write(bytes);
  socket.write('\r\nPING\r\n');
  for (let said = ''; !said.includes('PONG'); ) {
    const [chunk] = (await once(socket, 'data')) as [Buffer];
    said += chunk.toString('latin1');
  }
  socket.destroy();
}
