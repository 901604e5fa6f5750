import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { aCode, aPkcePair, basic, redeem } from '../../build/client.ts';
import { aUser, PASSWORD } from '../../build/fixture.ts';
import { suiteServer } from '../../build/test-server.ts';
import { answerIn, authorizationUrl, formWith, Visitor } from '../../build/visitor.ts';
import { withStatus } from '../../build/with-status.ts';
import { blocksOf } from '../../clients/pages/page.ts';

const PAGE = readFileSync(new URL('../../../docs/identity-assertions.md', import.meta.url), 'utf8');
const blocks = (wanted: string) => blocksOf(PAGE).flatMap(({ language, text }) => (language === wanted ? [text] : []));

const env = { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1' };
const office = suiteServer({ env });
const shop = suiteServer({ env, users: [] });

/** The addresses of the page are those of two servers here. */
const here = (text: string) =>
  text.replaceAll('https://office.example', office.base).replaceAll('https://shop.example', shop.base);
const run = promisify(execFile);

it('every line of docs/identity-assertions.md works as it stands, with two servers', async () => {
  const [ofOffice = '', ofShop = ''] = blocks('yaml').map(here);
  await office.provision({ ...parse(ofOffice), users: [aUser()] });
  await shop.provision(parse(ofShop));

  // Alice signs in at the shop by way of the office, and then to the assistant.
  const { verifier, asked } = aPkcePair();
  const there = new Visitor(office.base);
  const atShop = new Visitor(shop.base);
  const fields = { client_id: 'web', idp_hint: 'office' };
  const gone = await atShop.follow(authorizationUrl(shop, fields));
  const login = await there.follow(gone.location ?? '');
  const back = await there.send(formWith(login, 'password'), { username: 'alice', password: PASSWORD });
  assert(answerIn(await atShop.follow(back.location ?? '')).code);
  const redirect_uri = 'https://assistant.example/cb';
  const request = { client_id: 'assistant', scope: 'openid', redirect_uri, ...asked };
  const code = await aCode(office, request, { app: 'office', visitor: there });
  const auth = basic('assistant', 'secret-of-the-assistant');
  const proof = { redirect_uri, code_verifier: verifier };
  const { json } = await withStatus(200, redeem(office, code, proof, { auth }, 'office'));

  const script = blocks('sh').map(here).join('\n');
  assert.match(script, /curl[\s\S]*curl[\s\S]*curl/);
  const { stdout } = await run('bash', ['-euc', script], { env: { ...process.env, ID_TOKEN: json.id_token } });
  const seen = JSON.parse(stdout);
  const alice = await shop.services.store.findAccount('alice');
  assert.deepEqual(
    [seen.active, seen.sub, seen.scope, seen.client_id, seen.aud],
    [true, alice?.sub, 'orders:read', 'office-assistant', 'https://api.shop.example'],
  );
});
