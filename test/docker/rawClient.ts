import { createPrivateKey, sign } from 'node:crypto';
import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';

const answerLimitMs = 10_000;
/** What stands before the 32 bytes of an ed25519 key in PKCS #8. */
const keyHeader = Buffer.from('302e020100300506032b657004220420', 'hex');

/** A client that names any reply subject it likes, which no client library offers by accident: the attacker of the tests. */
export interface RawClient {
  publish(subject: string, reply: string, body?: string): void;
  /** Resolves when one more message has come to the inbox. */
  answer(): Promise<void>;
  readonly inbox: string;
  close(): void;
}

export async function rawClient(url: string, publicKey: string, credentials: string): Promise<RawClient> {
  const { hostname, port } = new URL(url);
  const socket = createConnection({ host: hostname, port: Number(port) });
  socket.setEncoding('utf8').setTimeout(answerLimitMs, () => socket.destroy(new Error('no answer')));
  const [info] = (await once(socket, 'data')) as [string];
  const { nonce } = JSON.parse(info.slice('INFO '.length)) as { nonce: string };
  const signature = sign(null, Buffer.from(nonce), privateKey(credentials)).toString('base64url');
  const options = { verbose: false, pedantic: false, lang: 'raw', version: '0', protocol: 1, headers: true, no_responders: false };
  const inbox = '_INBOX.raw';
  socket.write(`CONNECT ${JSON.stringify({ ...options, nkey: publicKey, sig: signature })}\r\nSUB ${inbox} 1\r\nPING\r\n`);
  await textOn(socket, 'PONG');
  return {
    inbox,
    publish: (subject, reply, body = '') => void socket.write(`PUB ${subject} ${reply} ${Buffer.byteLength(body)}\r\n${body}\r\n`),
    answer: () => textOn(socket, 'MSG '),
    close: () => void socket.destroy(),
  };
}

async function textOn(socket: Socket, wanted: string): Promise<void> {
  for (let seen = ''; !seen.includes(wanted); ) {
    const [text] = (await once(socket, 'data')) as [string];
    seen += text;
    if (seen.includes('-ERR')) throw new Error(`the broker said ${seen.trim()}`);
  }
}

/** The seed is base32: two bytes of prefix, the key, two bytes of checksum. */
function privateKey(credentials: string) {
  const seed = /^SU[A-Z2-7]+$/m.exec(credentials)?.[0] ?? '';
  const bits = seed
    .split('')
    .map((letter) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'))
    .join('');
  const bytes = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  return createPrivateKey({ key: Buffer.concat([keyHeader, bytes.subarray(2, 34)]), format: 'der', type: 'pkcs8' });
}
