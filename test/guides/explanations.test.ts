import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { redeem } from '../build/client.ts';
import { atLogin, logIn } from '../build/people.ts';
import { suitePart } from '../build/suite-part.ts';
import { answerIn, signIn, Visitor } from '../build/visitor.ts';
import { withStatus } from '../build/with-status.ts';
import { addressOf, operatorPath, serve, wrongClock } from './operator.ts';
import { suiteGuide } from './run-guide.ts';

/** A code is good for five minutes. */
const CLOCK_JUMP_SECONDS = 360;
const WEB = 'https://shop.example/callback';
const CODE = 'gac_…';

describe('docs/guides/explanations.md', () => {
  const replace: Record<string, string> = {};
  const aCode = async () => {
    const seen = await signIn(addressOf(guide), { client_id: 'shop-web', redirect_uri: WEB });
    return answerIn(seen).code ?? assert.fail('no code');
  };
  const guide = suiteGuide('explanations', { ports: [3000], replace, env: { PATH: operatorPath() } });
  const clock = wrongClock(CLOCK_JUMP_SECONDS, 'SIGUSR2');
  const server = suitePart(
    () => serve(guide.folder, { PORT: String(guide.port(3000)), ...clock }),
    part => part.destroy(),
  );
  before(async () => {
    await guide.section('The example');
  });

  it('a redirect URI with a slash too many: explained, and repaired by the command of the explanation (row 12)', async () => {
    const printed = await guide.section('A slash too many');
    const [offered = assert.fail('no command')] = /gatehouse clients update.*/.exec(printed) ?? [];
    assert(printed.includes('302'));
    assert(offered.endsWith(`${WEB},${WEB}/`));
  });

  it('a code that expired: explained with the time; a fresh one is exchanged', async () => {
    replace[CODE] = await aCode();
    process.kill(server.pid, 'SIGUSR2');
    await guide.section('A code that expired');
    const auth = `Basic ${btoa('shop-web:the-secret-of-the-shop')}`;
    await withStatus(200, redeem(addressOf(guide), await aCode(), { redirect_uri: WEB }, { auth }));
  });

  it('a wrong client secret: explained without the secret; a new one is accepted', async () => {
    const printed = await guide.section('A wrong client secret');
    assert(!printed.includes('the-secret-of-the-stage'));
  });

  it('the API has the same, for an auditor', async () => {
    assert.match(await guide.section('The API'), /"reason":"codeExpired"/);
  });

  it('the console shows it to an operator, behind the link of the error page', async () => {
    const address = (await guide.section('The console')).trim().split('\n').at(-1) ?? '';
    const visitor = new Visitor(addressOf(guide).base);
    const login = await visitor.follow(address);
    assert(atLogin(login), login.text);
    const seen = await withStatus(200, logIn(visitor, login));
    assert.match(seen.text, /not its secret/);
  });

  it('has no command that is not run', () => assert.deepEqual(guide.left(), []));
});
