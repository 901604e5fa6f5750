/**
 * A process that loads a server: token requests (refresh, rotating) and introspections in turn, over kept connections with
 * one request on each. `node open-loop.ts '<LoadOrder as JSON>'` prints a Measured as JSON for every phase. Sockets and prepared requests
 * instead of a client library: it has to offer several times what the server can do, from one core.
 */
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';

export interface LoadOrder {
  readonly port: number;
  readonly path: string;
  readonly authorization: string;
  readonly accessTokens: string;
  readonly refreshTokens: string;
  /** Callers at once in a phase with more requests than the capacity; one whose turn it is while all wait sends a little later. */
  readonly connections: number;
  readonly phases: readonly Phase[];
}

/** Closed loop: as many requests at the same time as there are connections. Open loop: so many a second, answered or not. */
export type Phase = { readonly name: string; readonly seconds: number; readonly windowMs: number } & (
  | { readonly kind: 'closed'; readonly connections: number }
  | { readonly kind: 'open'; readonly perSecond: number }
  /** So many times what the last closed phase reached. */
  | { readonly kind: 'times'; readonly capacity: number }
);

export type Kind = 'token' | 'introspection';

export interface Latencies {
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
}

export interface Measured {
  readonly name: string;
  readonly perSecond: number;
  readonly sent: number;
  readonly served: Readonly<Record<Kind, Latencies>>;
  readonly refused: Latencies;
  /** Neither 200 nor 503, and connections that ended. */
  readonly others: readonly string[];
  /** Requests that had to wait for a free connection here: the load was less than it should have been. */
  readonly starved: number;
  /** Share of a processor that this process used. */
  readonly busy: number;
  /** Mean duration of a turn of this process, little more than SLICE_MS when it has its core for itself. 0 in a closed loop. */
  readonly turnMs: number;
  readonly windows: readonly Readonly<Record<Kind, Latencies>>[];
}

const SLICE_MS = 1;
/** No answer may take that long. */
const ANSWER_MS = 20_000;

const order: LoadOrder = JSON.parse(process.argv[2] ?? '{}');
const access = readFileSync(order.accessTokens, 'utf8').trim().split('\n');
const refresh = readFileSync(order.refreshTokens, 'utf8').trim().split('\n');
const introspections = access.slice(0, 1000).map(token => request('introspect', `token=${token}`));

function request(endpoint: string, body: string): string {
  return `POST ${order.path}/${endpoint} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: ${order.authorization}\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

/** What came of the requests of one phase. */
class Tally {
  readonly began = performance.now();
  readonly served: Record<Kind, [number, number][]> = { token: [], introspection: [] };
  readonly refused: number[] = [];
  readonly others: string[] = [];
  sent = 0;
  starved = 0;
  done = 0;
  turns = 0;

  measured(phase: Phase, seconds: number, busy: number): Measured {
    const from = (at: number) => Math.floor((at - this.began) / phase.windowMs);
    const windows = Array.from({ length: Math.ceil((phase.seconds * 1000) / phase.windowMs) }, (_, index) => ({
      token: latencies(this.served.token.filter(([at]) => from(at) === index).map(([, took]) => took)),
      introspection: latencies(this.served.introspection.filter(([at]) => from(at) === index).map(([, took]) => took)),
    }));
    const { token, introspection } = this.served;
    return {
      name: phase.name,
      perSecond: this.done / seconds,
      sent: this.sent,
      served: {
        token: latencies(token.map(([, took]) => took)),
        introspection: latencies(introspection.map(([, took]) => took)),
      },
      refused: latencies(this.refused),
      others: this.others,
      starved: this.starved,
      busy,
      turnMs: this.turns === 0 ? 0 : (phase.seconds * 1000) / this.turns,
      windows,
    };
  }
}

function servedIn(window: Readonly<Record<Kind, Latencies>>): number {
  return window.token.count + window.introspection.count;
}

function latencies(took: readonly number[]): Latencies {
  const sorted = Float64Array.from(took).sort();
  const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
  return { count: sorted.length, p50: at(0.5), p99: at(0.99) };
}

let tally = new Tally();
let turn = 0;
const free: Connection[] = [];
/** Requests that are due and for which no connection was free. */
let unsent = 0;
let underWay = 0;
let onFree: (connection: Connection) => void = connection => {
  free.push(connection);
};

class Connection {
  readonly #socket: Socket;
  #kind: Kind = 'token';
  #token = '';
  #since = 0;
  #text = '';
  #busy = false;
  #isLast = false;

  constructor(ready: (connection: Connection) => void) {
    this.#socket = connect(order.port, '127.0.0.1', () => ready(this));
    this.#socket.setNoDelay(true);
    this.#socket.setEncoding('latin1');
    this.#socket.on('data', (chunk: string) => this.#read(chunk));
    this.#socket.on('error', error => tally.others.push(error.message));
    this.#socket.on('close', () => this.#closed());
  }

  send(): void {
    this.#since = performance.now();
    this.#kind = turn++ % 2 === 0 ? 'token' : 'introspection';
    this.#busy = true;
    underWay++;
    tally.sent++;
    if (this.#kind === 'introspection') {
      this.#socket.write(introspections[(turn >> 1) % introspections.length] ?? '', 'latin1');
      return;
    }
    this.#token = refresh.shift() ?? '';
    this.#socket.write(request('token', `grant_type=refresh_token&refresh_token=${this.#token}`), 'latin1');
  }

  end(): void {
    this.#socket.destroy();
  }

  #read(chunk: string): void {
    this.#text = this.#text === '' ? chunk : this.#text + chunk;
    const headers = this.#text.indexOf('\r\n\r\n');
    if (headers < 0) return;
    if (this.#text.length < headers + 4 + lengthOf(this.#text)) return;
    const text = this.#text;
    this.#text = '';
    this.#answered(text);
    // nginx closes a connection after a thousand requests, and says so: another takes its place.
    this.#isLast = /\r\nconnection: close\r\n/i.test(text.slice(0, headers + 2));
    if (this.#isLast) this.#replace();
    else onFree(this);
  }

  /** An idle connection may be closed by the other side at any time; with a request on it, that request is lost. */
  #closed(): void {
    if (ending || this.#isLast) return;
    if (this.#busy) {
      underWay--;
      tally.others.push('closed');
    } else {
      const place = free.indexOf(this);
      if (place >= 0) free.splice(place, 1);
    }
  }

  #replace(): void {
    this.#socket.destroy();
    new Connection(made => onFree(made));
  }

  #answered(text: string): void {
    const status = text.slice(9, 12);
    const took = performance.now() - this.#since;
    this.#busy = false;
    underWay--;
    tally.done++;
    if (status === '200') tally.served[this.#kind].push([this.#since, took]);
    else if (status === '503') tally.refused.push(took);
    else tally.others.push(`${this.#kind} ${text.slice(0, 40)}`);
    if (this.#kind === 'token') refresh.push(status === '200' ? rotated(text) : this.#token);
    else if (status === '200' && !text.includes('"active":true')) tally.others.push('a live token was not active');
  }
}

/** A proxy writes the names of headers in its own way. */
function lengthOf(text: string): number {
  const place =
    Math.max(text.indexOf('content-length: '), text.indexOf('Content-Length: ')) + 'content-length: '.length;
  return Number(text.slice(place, text.indexOf('\r', place)));
}

function rotated(text: string): string {
  const place = text.indexOf('"refresh_token":"') + '"refresh_token":"'.length;
  return text.slice(place, text.indexOf('"', place));
}

let ending = false;
let capacity = 0;
for (const phase of order.phases) process.stdout.write(`${JSON.stringify(await run(phase))}\n`);
ending = true;
for (const connection of free) connection.end();

async function run(phase: Phase): Promise<Measured> {
  tally = new Tally();
  const cpu = process.cpuUsage();
  if (phase.kind === 'closed') await closed(phase.connections, phase.seconds);
  else await open(phase.kind === 'times' ? capacity * phase.capacity : phase.perSecond, phase.seconds);
  const seconds = (performance.now() - tally.began) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const measured = tally.measured(phase, seconds, (user + system) / 1e6 / seconds);
  // Its best second: what others take of the machine must not make three times the capacity less than it is.
  if (phase.kind === 'closed') capacity = Math.max(...measured.windows.map(servedIn)) / (phase.windowMs / 1000);
  if (underWay > 0) throw new Error(`${underWay} requests of ${phase.name} were not answered`);
  return measured;
}

async function closed(connections: number, seconds: number): Promise<void> {
  const end = performance.now() + seconds * 1000;
  await connectTo(connections);
  onFree = connection => {
    if (performance.now() < end) connection.send();
    else free.push(connection);
  };
  for (const connection of free.splice(0, connections)) connection.send();
  await until(() => performance.now() >= end && (underWay === 0 || performance.now() > end + ANSWER_MS));
}

async function open(perSecond: number, seconds: number): Promise<void> {
  await connectTo(perSecond > capacity ? order.connections : 100);
  tally = new Tally();
  const began = performance.now();
  const end = began + seconds * 1000;
  onFree = connection => {
    if (unsent === 0) free.push(connection);
    else {
      unsent--;
      connection.send();
    }
  };
  let scheduled = 0;
  while (performance.now() < end) {
    const due = Math.floor(((performance.now() - began) / 1000) * perSecond);
    for (; scheduled < due; scheduled++) sendOrWait();
    await pause(SLICE_MS);
    tally.turns++;
  }
  unsent = 0;
  await until(() => underWay === 0 || performance.now() > end + ANSWER_MS);
}

function sendOrWait(): void {
  const connection = free.pop();
  if (connection) connection.send();
  else {
    tally.starved++;
    unsent++;
  }
}

async function connectTo(count: number): Promise<void> {
  while (free.length < count) {
    const before = free.length;
    new Connection(made => free.push(made));
    await until(() => free.length > before);
  }
}

async function until(what: () => boolean): Promise<void> {
  while (!what()) await pause(1);
}

function pause(milliseconds: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, milliseconds));
}
