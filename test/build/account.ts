import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMailSender } from '../../src/notify/mail/job.ts';
import { openSession } from '../../src/people/sessions/sessions.ts';
import type { Request } from '../../src/platform/http/message.ts';
import { type FixedClock, fixedClock } from './clock.ts';
import { anApplication, aUser, PASSWORD, type UserInput } from './fixture.ts';
import { mailsIn, type ReadMail } from './mailbox.ts';
import { startTestServer, type TestServer, type TestServerOptions } from './test-server.ts';
import { formWith, type Seen, Visitor } from './visitor.ts';

/** A server for the account pages: a clock that stands still, an outbox, and a new person for each test. */
export interface AccountServer extends TestServer {
  readonly clock: FixedClock;
  /** The mails to this address, oldest first, but those about a new browser; what waits is sent before. */
  mailsTo(email: string): Promise<readonly ReadMail[]>;
  /** A new user. */
  person(over?: Partial<UserInput>): Promise<Person>;
}

export interface Person {
  readonly username: string;
  readonly email: string;
  readonly sub: string;
  /** Opens a page of the account in a browser, and signs in if it asks for the password. */
  open(path: string, visitor?: Visitor): Promise<Seen>;
  readonly browser: Visitor;
}

/** A browser in which the user is signed in by other means than a password, which the user does not have any more. */
export async function withoutPassword({ services, base }: AccountServer, { sub }: Person): Promise<Visitor> {
  const now = services.clock.now();
  await services.store.changePassword(sub, undefined, now);
  const request = { headers: {}, address: '127.0.0.1', receivedAt: performance.now() } as unknown as Request;
  const login = { sub, passwordHash: undefined, authTime: now, amr: ['hwk', 'user', 'mfa'], stepsUp: false };
  const id = services.random.bytes(16).toString('hex');
  const opened = await openSession(services, request, login, id, undefined);
  assert(opened.kind === 'opened');
  const visitor = new Visitor(base);
  for (const cookie of opened.cookies) {
    const [name = '', value = ''] = (cookie.split(';')[0] ?? '').split('=');
    visitor.cookies.set(name, value);
  }
  return visitor;
}

const NEW_BROWSER = /New sign-in|有新的登录|Neue Anmeldung bei/;

export async function startAccountServer(options: TestServerOptions = {}): Promise<AccountServer> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-outbox-'));
  const clock = fixedClock(Math.floor(Date.now() / 1000));
  const server = await startTestServer({
    clock,
    applications: [anApplication()],
    users: [],
    ...options,
    env: { MAIL_URL: `file:${folder}`, ...options.env },
  });
  let count = 0;
  return {
    ...server,
    clock,
    async mailsTo(email) {
      await createMailSender(server.services).run();
      const mails = mailsIn(folder).filter(({ headers }) => headers.get('to')?.includes(email));
      return mails.filter(({ subject }) => !NEW_BROWSER.test(subject));
    },
    async person(over = {}) {
      const name = over.username ?? `person${++count}`;
      const email = `${name}@example.com`;
      await server.provision({ users: [aUser({ username: name, email, phone_number: null, ...over })] });
      const sub = (await server.services.store.findAccount(name))?.sub ?? '';
      const browser = new Visitor(server.base);
      return {
        username: name,
        email,
        sub,
        browser,
        async open(path, visitor = browser) {
          const seen = await visitor.follow(`${server.base}${path}`);
          if (!seen.text.includes('action="/login"')) return seen;
          return visitor.send(formWith(seen, 'password'), { username: name, password: PASSWORD });
        },
      };
    },
    async close() {
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
