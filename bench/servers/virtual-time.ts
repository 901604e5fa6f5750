/**
 * Gatehouse in virtual time: the server with its services, on a clock that stands still until it is told to go on. What the
 * timers of jobs/schedule.ts would have done meanwhile is done then. The store has no clock of its own (time is an argument of
 * all that it does), so it lives in the same time, PostgreSQL too.
 *
 * People come and go by message, since checking their passwords would take longer than all the rest.
 */
import assert from 'node:assert/strict';
import { endSession, openSession } from '../../src/accounts/sessions.ts';
import { drain, listen, open } from '../../src/cli/serving.ts';
import { readConfig } from '../../src/config.ts';
import { deliverLogoutNotices } from '../../src/jobs/deliveries.ts';
import { purgeExpired } from '../../src/jobs/purge.ts';
import { startOwnJobs } from '../../src/jobs/schedule.ts';
import { rotateDueKeys } from '../../src/keys/rotation.ts';
import type { Request } from '../../src/message.ts';
import { createLog } from '../../src/observe/log.ts';
import { APP, users } from '../fixture.ts';

export type Question =
  /** A minute passes. Answers what became of its housekeeping. */
  | { readonly kind: 'minute' }
  /** So many people sign in. Answers their cookies. */
  | { readonly kind: 'come'; readonly people: number }
  | { readonly kind: 'go'; readonly cookies: readonly string[] };

export interface Housekeeping {
  readonly milliseconds: number;
  readonly failed: boolean;
}

export type FromVirtual =
  | { readonly kind: 'up' }
  | { readonly kind: 'answer'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'fault'; readonly message: string };

const MINUTE = 60;
/** Each has a connection for itself meanwhile. */
const AT_ONCE = 20;

let seconds = Number(process.argv[2]);
const read = readConfig(process.env);
assert(read.kind === 'valid');
const log = createLog(read.config.logLevel, false, line => process.stderr.write(line));
const services = await open(read.config, log, { clock: { now: () => seconds } });
const server = await listen(services);
const stopJobs = startOwnJobs(services);
const people = await Promise.all(users.map(({ username }) => services.store.findAccount(username)));
let minutes = 0;
let came = 0;

process.on('message', ({ id, question }: { readonly id: number; readonly question: Question }) => {
  answer(question).then(
    value => say({ kind: 'answer', id, value }),
    error => say({ kind: 'fault', message: (error as Error).message }),
  );
});
process.once('SIGTERM', async () => {
  await drain({ services, server, stopJobs });
  process.exit();
});
process.once('disconnect', () => process.exit());
say({ kind: 'up' });

function answer(question: Question): Promise<unknown> {
  switch (question.kind) {
    case 'minute':
      return passMinute();
    case 'come':
      return inTurn(Array.from({ length: question.people }), come);
    case 'go':
      return inTurn(question.cookies, cookie => endSession(services, requestWith({ cookie })));
  }
}

/** As with the timers, what fails is tried again the next time. */
async function passMinute(): Promise<Housekeeping> {
  seconds += MINUTE;
  const began = performance.now();
  const failed = await keepHouse().then(
    () => false,
    () => true,
  );
  return { milliseconds: performance.now() - began, failed };
}

/** The purge comes once a minute, notices once a second, keys once an hour. */
async function keepHouse(): Promise<void> {
  await purgeExpired(services);
  for (let count = 0; count < MINUTE; count++) await deliverLogoutNotices(services);
  const application = minutes++ % MINUTE === 0 ? await services.store.findApplication(APP) : undefined;
  if (application) await rotateDueKeys(services, application);
}

async function come(): Promise<string> {
  const user = people[came++ % people.length];
  assert(user, 'a user is missing');
  const opened = await openSession(
    services,
    requestWith({}),
    { sub: user.sub, passwordHash: user.passwordHash, authTime: services.clock.now(), amr: ['pwd'] },
    services.random.bytes(16).toString('base64url'),
  );
  assert(opened.kind === 'opened');
  return opened.cookie.split(';', 1)[0] ?? '';
}

function requestWith(headers: Request['headers']): Request {
  const receivedAt = performance.now();
  const rest = { id: '', method: 'POST', params: {}, query: '', body: '', json: undefined, address: '127.0.0.1' };
  return { ...rest, headers, receivedAt, abandoned: () => false };
}

async function inTurn<T, R>(all: readonly T[], work: (one: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let done = 0; done < all.length; done += AT_ONCE) {
    results.push(...(await Promise.all(all.slice(done, done + AT_ONCE).map(work))));
  }
  return results;
}

function say(message: FromVirtual): void {
  process.send?.(message);
}
