import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { atLogin, logIn } from '../build/people.ts';
import { type Seen, Visitor } from '../build/visitor.ts';
import { wander } from '../clients/wander.ts';
import { suiteGuide } from './run-guide.ts';

describe('docs/guides/staff-only.md', () => {
  const guide = suiteGuide('staff-only', {
    ports: [3000, 3100, 4000],
    serves: {
      'PORT=3100 DATABASE_URL=sqlite:staff/gatehouse.db GATEHOUSE_DEMO=false npm start': 3100,
      'npm start': 3000,
      'node server.mjs': 4000,
    },
    notRun: { 'npm install express': 'the packages are dev dependencies, which the runner links' },
  });

  /** The login page again, with its error. */
  const isTurnedAway = ({ status, text }: Seen) => status === 400 && text.includes('name="password"');
  const hasNoAccess = ({ url, text }: Seen) => url.includes('/login/no-access') && /no access to Intranet/.test(text);
  const application = () => guide.place('http://localhost:4000/');

  async function enter(username: string): Promise<Seen> {
    const visitor = new Visitor(guide.place('http://localhost:3000'));
    const login = await wander(visitor, application());
    assert(atLogin(login), login.text);
    return wander(visitor, await logIn(visitor, login, username));
  }

  it('has an application that admits staff alone, and knows their roles', async () => {
    await guide.section('Access on the application');
    assert.equal((await enter('alice')).text, 'Hello alice, you may write');
    assert(hasNoAccess(await enter('bob')));
  });

  it('has a deployment that knows the staff and nobody else', async () => {
    await guide.section('A deployment for staff');
    const issuer = guide.place('http://localhost:3100/api/v1/authorize/intranet/oauth2');
    const query = 'client_id=intranet-web&response_type=code&redirect_uri=';
    const start = `${issuer}/auth?${query}${encodeURIComponent(guide.place('http://localhost:4000/callback'))}`;
    const base = guide.place('http://localhost:3100');
    const signedIn = async (username: string) => {
      const visitor = new Visitor(base);
      return logIn(visitor, await visitor.follow(start), username);
    };
    assert.match((await signedIn('carol')).location ?? '', /callback\?code=/);
    assert(isTurnedAway(await signedIn('bob')), 'a customer is no user there');
  });

  it('ends what a user who left has at Gatehouse', async () => {
    await guide.section('When someone leaves');
    assert(isTurnedAway(await enter('alice')), 'a disabled user does not get in');
    assert(hasNoAccess(await enter('bob')));
  });

  it('has no command that is not run', () => assert.deepEqual(guide.left(), []));
});
