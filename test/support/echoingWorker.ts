import { Duplex } from 'node:stream';
import type { Launcher, WorkerExit } from '@emend/agents';

const headerBytes = 4;

function frame(message: object): Buffer {
  const body = Buffer.from(JSON.stringify(message));
  const header = Buffer.alloc(headerBytes);
  header.writeUInt32BE(body.length);
  return Buffer.concat([header, body]);
}

/** What an honest worker says to each message of its parent. Each write of the parent is one frame. */
function replyTo(written: Buffer): Buffer {
  const message = JSON.parse(written.subarray(headerBytes).toString()) as { type: string; messages?: unknown; text?: string };
  return frame(message.type === 'context' ? { type: 'generate', messages: message.messages } : { type: 'result', text: message.text });
}

/** A launcher of tests: an honest worker in this process, so that a test of the service needs no sandbox of its machine. */
export const echoingWorker: Launcher = {
  launch() {
    let leave: (exit: WorkerExit) => void = () => {};
    const ended = new Promise<WorkerExit>((resolve) => (leave = resolve));
    const channel = new Duplex({
      read() {},
      write(chunk: Buffer, _encoding, done) {
        this.push(replyTo(chunk));
        done();
      },
      destroy(_error, done) {
        leave({ code: 0, signal: null, outputBytes: 0 });
        done(null);
      },
    });
    channel.push(frame({ type: 'hello' }));
    return { pid: undefined, channel, ended, flooded: new Promise(() => {}), kill: () => void channel.destroy() };
  },
};
