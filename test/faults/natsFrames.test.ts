import { expect, it } from 'vitest';
import { FrameReader } from './natsFrames.js';

const written = [
  'CONNECT {"verbose":false}\r\n',
  'PING\r\n',
  'PUB a.b 4\r\n+ACK\r\n',
  'PUB a.b _INBOX.1 2\r\n\r\n\r\n',
  'HPUB c _INBOX.2 12 17\r\nNATS/1.0\r\n\r\nhello\r\n',
  'HPUB c 12 12\r\nNATS/1.0\r\n\r\n\r\n',
  'MSG _INBOX.1 7 3\r\nabc\r\n',
  'MSG x 7 _INBOX.3 0\r\n\r\n',
  'HMSG x 7 _INBOX.4 12 13\r\nNATS/1.0\r\n\r\nz\r\n',
];
const read = [
  ['CONNECT', '', '', ''],
  ['PING', '', '', ''],
  ['PUB', 'a.b', '', '+ACK'],
  ['PUB', 'a.b', '_INBOX.1', '\r\n'],
  ['HPUB', 'c', '_INBOX.2', 'NATS/1.0\r\n\r\nhello'],
  ['HPUB', 'c', '', 'NATS/1.0\r\n\r\n'],
  ['MSG', '_INBOX.1', '', 'abc'],
  ['MSG', 'x', '_INBOX.3', ''],
  ['HMSG', 'x', '_INBOX.4', 'NATS/1.0\r\n\r\nz'],
];

it.each([1, 2, 3, 7, 1_000])('frames come out whole from chunks of %i bytes', (size) => {
  const bytes = Buffer.from(written.join(''));
  const reader = new FrameReader();
  const frames = [];
  for (let at = 0; at < bytes.length; at += size) frames.push(...reader.push(bytes.subarray(at, at + size)));
  expect(frames.map(({ verb, subject, reply, payload }) => [verb, subject, reply, payload.toString()])).toEqual(read);
  expect(frames.map((frame) => frame.bytes.toString())).toEqual(written);
});

it.each([
  ['a publish without a size', 'PUB a.b many\r\n'],
  ['a line without an end', 'x'.repeat(70_000)],
])('%s is refused, not guessed at', (_name, text) => {
  expect(() => new FrameReader().push(Buffer.from(text))).toThrow('this is no NATS');
});
