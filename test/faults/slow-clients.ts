/**
 * A process with clients that send slowly, send without end or do not read: `node slow-clients.ts '<SlowOrder as JSON>'`. Prints for
 * every kind how many there were, how many connections the server closed, and how long the longest of them was open.
 */
import { connect } from 'node:net';

export interface SlowOrder {
  readonly port: number;
  readonly path: string;
  readonly idle: number;
  readonly others: number;
  readonly seconds: number;
}

export interface SlowResult {
  readonly kind: string;
  readonly count: number;
  readonly cutOff: number;
  readonly longestMs: number;
  /** Status lines by how often they came. */
  readonly answers: Readonly<Record<string, number>>;
}

const order: SlowOrder = JSON.parse(process.argv[2] ?? '{}');
const TICK_MS = 1000;
const DEAF_TICK_MS = 50;
const BATCH = 100;

interface Kind {
  readonly name: string;
  readonly count: number;
  readonly first: string;
  /** Sent every second, for ever. */
  readonly further: string;
  readonly deaf?: boolean;
}

const post = (path: string, length: string) =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\n${length}\r\n\r\n`;
const chunk = `4000\r\n${'x'.repeat(0x4000)}\r\n`;
const page = 'GET /docs/errors/invalid_request HTTP/1.1\r\nHost: x\r\n\r\n';
/** Until nothing moves any more, and then until too many wait. */
const AHEAD = 5;
const kinds: readonly Kind[] = [
  { name: 'idle', count: order.idle, first: '', further: '' },
  { name: 'slow headers', count: order.others, first: 'POST /x HTTP/1.1\r\nHost: x\r\nX-Slow: ', further: 'a' },
  { name: 'one byte a second', count: order.others, first: 'GET /', further: 'a' },
  { name: 'slow body', count: order.others, first: post(`${order.path}/token`, 'Content-Length: 1000'), further: 'a' },
  {
    name: 'endless body',
    count: 20,
    first: post(`${order.path}/token`, 'Transfer-Encoding: chunked') + chunk.repeat(5),
    further: chunk,
  },
  {
    name: 'endless body that the server does not read',
    count: 20,
    first: post('/nowhere', 'Transfer-Encoding: chunked'),
    further: chunk,
  },
  {
    name: 'deaf',
    count: 10,
    first: '',
    further: page.repeat(AHEAD),
    deaf: true,
  },
  { name: 'far ahead', count: 20, first: page.repeat(500), further: '', deaf: true },
];

class Group {
  readonly kind: Kind;
  cutOff = 0;
  longestMs = 0;
  readonly answers: Record<string, number> = {};

  constructor(kind: Kind) {
    this.kind = kind;
  }

  add(): Promise<void> {
    return new Promise(resolve => {
      const socket = connect(order.port, '127.0.0.1');
      let began = 0;
      let timer: NodeJS.Timeout | undefined;
      socket.on('connect', () => {
        began = performance.now();
        if (this.kind.deaf) socket.pause();
        if (this.kind.first !== '') socket.write(this.kind.first);
        // A client that does not read does not see the end of the connection either; it notices when it writes.
        const further = this.kind.deaf ? this.kind.further || '\r\n' : this.kind.further;
        if (further !== '') timer = setInterval(() => socket.write(further), this.kind.deaf ? DEAF_TICK_MS : TICK_MS);
        resolve();
      });
      socket.on('error', () => resolve());
      socket.on('close', () => {
        clearInterval(timer);
        if (ending) return;
        this.cutOff++;
        this.longestMs = Math.max(this.longestMs, performance.now() - began);
      });
      if (!this.kind.deaf) socket.on('data', data => this.#note(String(data)));
    });
  }

  #note(text: string): void {
    const status = /^HTTP\/1\.1 (\d+)/.exec(text)?.[1];
    if (status !== undefined) this.answers[status] = (this.answers[status] ?? 0) + 1;
  }
}

let ending = false;
const groups = kinds.map(kind => new Group(kind));
for (const group of groups) {
  for (let made = 0; made < group.kind.count; made += BATCH) {
    const size = Math.min(BATCH, group.kind.count - made);
    await Promise.all(Array.from({ length: size }, () => group.add()));
  }
}
const end = performance.now() + order.seconds * 1000;
while (performance.now() < end && groups.some(({ kind, cutOff }) => cutOff < kind.count)) {
  await new Promise(resolve => setTimeout(resolve, 100));
}
ending = true;
for (const { kind, cutOff, longestMs, answers } of groups) {
  process.stdout.write(`${JSON.stringify({ kind: kind.name, count: kind.count, cutOff, longestMs, answers })}\n`);
}
process.exit(0);
