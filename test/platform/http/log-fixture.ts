import assert from 'node:assert/strict';
import { before, beforeEach } from 'node:test';
import type { Answered } from '../../build/client.ts';
import { fixedClock } from '../../build/clock.ts';
import { aClient, anApplication, aPublicClient, aUser } from '../../build/fixture.ts';
import { suiteServer } from '../../build/test-server.ts';
import type { Seen } from '../../build/visitor.ts';

export const ADDRESS = '198.51.100.7';
export const FROM = { 'x-forwarded-for': ADDRESS };
/** What must not be in the log wherever a person or a program puts it by mistake. */
export const HUSH = 'hush-typed-into-the-wrong-field';

type Line = Record<string, string | number | undefined>;

/** For all tests of the suite: a server behind a proxy, and what it logged since the test began. */
export function useLog() {
  const clock = fixedClock();
  let sub: string;
  const server = suiteServer({
    env: { TRUSTED_PROXIES: '127.0.0.1' },
    clock,
    applications: [
      anApplication({ clients: [aClient(), aClient({ client_id: 'other' }), aPublicClient()] }),
      anApplication({ code: 'strict', name: 'Strict', strict_oidc: true }),
    ],
    users: [
      aUser(),
      aUser({ username: 'dora', email: 'dora@example.com', phone_number: '+8613800000002', disabled: true }),
    ],
  });
  before(async () => {
    sub = (await server.services.store.findAccount('alice'))?.sub ?? '';
  });

  let read = 0;
  beforeEach(() => {
    clock.advance(400); // so that no test is throttled by the failures of another
    read = server.logged().length;
  });
  /** What was logged since the test began, debugging aside. */
  const lines = (): Line[] =>
    server
      .logged()
      .slice(read)
      .trim()
      .split('\n')
      .filter(line => line !== '')
      .map(line => JSON.parse(line))
      .filter(({ level }) => level !== 'debug');
  /** The one line of a refusal, by the request id of its answer. */
  const only = (answered: Pick<Answered | Seen, 'headers'>): Line => {
    const [line, ...more] = lines();
    assert(line && more.length === 0, JSON.stringify(lines()));
    const { time, level, ...fields } = line;
    assert.equal(level, 'info');
    assert.equal(fields.request, answered.headers.get('x-request-id'));
    return { ...fields, request: 'id' };
  };
  const assertQuietAbout = (...secrets: string[]) => {
    for (const secret of secrets) assert(!server.logged().slice(read).includes(secret), secret);
  };
  const sending = (auth?: string) => ({ auth, headers: FROM });
  return {
    lines,
    only,
    assertQuietAbout,
    sending,
    /** What was logged until now is no part of the test. */
    skipLogged: () => {
      read = server.logged().length;
    },
    get server() {
      return server;
    },
    get sub() {
      return sub;
    },
  };
}
