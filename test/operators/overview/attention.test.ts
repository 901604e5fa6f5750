import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { DOCUMENTED_SECRETS, isPlaceholder, unusableReason } from '../../../src/operators/overview/clients.rules.ts';
import { aClient, anApplication, aUser } from '../../build/fixture.ts';
import { actForm, type ConsoleFixture, openConsole } from '../../build/in-console.ts';

async function withConsole(
  options: Parameters<typeof openConsole>[0],
  work: (fixture: ConsoleFixture) => Promise<void>,
): Promise<void> {
  const fixture = await openConsole(options);
  try {
    await work(fixture);
  } finally {
    await fixture.server.close();
  }
}

describe('what needs attention', () => {
  it('names a client whose secret is in the documents, and one that nobody can use, with the page that settles it', async () => {
    const clients = [
      aClient({ client_id: 'copied', client_name: 'Copied', client_secret: 'replace-this-secret-too' }),
      aClient({ client_id: 'stray', client_name: 'Stray', redirect_uris: [], grant_types: ['authorization_code'] }),
      aClient({ client_id: 'fine' }),
    ];
    const closed = anApplication({ code: 'closed', name: 'Closed', access: { groups: [], roles: [], users: [] } });
    await withConsole({ applications: [anApplication({ clients }), closed] }, async ({ inConsole }) => {
      const { text } = (await inConsole('/console')).seen;
      assert.match(
        text,
        /Copied \(shop\/copied\) uses a secret from the documentation<.*href="\/console\/applications\/shop\/clients\/copied\/secrets"/,
      );
      assert.match(text, /Nobody can use Stray \(shop\/stray\)<.*no redirect URI.*clients\/stray\/settings"/);
      assert.match(text, /Nobody can use .* \(closed\/.*admits no group, role or user.*applications\/closed\/sign-in"/);
      assert(!text.includes('shop/fine'));
    });
  });

  it('looks at all clients, however many others come first', async () => {
    const fine = Array.from({ length: 320 }, (_, at) =>
      aClient({ client_id: `a-${at}`, ...(at % 2 ? {} : { grant_types: ['client_credentials'], redirect_uris: [] }) }),
    );
    const stray = { redirect_uris: [], grant_types: ['authorization_code'], client_secret: 'replace-this-secret' };
    const clients = [...fine, aClient({ client_id: 'z', client_name: 'Last', ...stray })];
    await withConsole({ applications: [anApplication({ clients })] }, async ({ inConsole }) => {
      const { text } = (await inConsole('/console')).seen;
      assert.match(text, /Nobody can use Last \(shop\/z\)/);
      assert.match(text, /Last \(shop\/z\) uses a secret from the documentation/);
    });
  });

  it('names a group that an application admits and in which nobody is, with the page that settles it', async () => {
    const access = { groups: ['staff', 'stafff'], roles: ['editor'], users: [] };
    const users = [
      aUser(),
      aUser({ username: 'bob', email: null, phone_number: null, groups: ['staff'], roles: { shop: ['stafff'] } }),
    ];
    const applications = [anApplication({ access }), anApplication({ code: 'open', name: 'Open' })];
    await withConsole({ applications, users }, async fixture => {
      const { text } = (await fixture.inConsole('/console')).seen;
      assert.match(text, /Nobody is in the group stafff<.*Shop admits its members.*applications\/shop\/sign-in"/);
      assert(!text.includes('in the group staff<'));
      await fixture.owner.ask('POST', '/operators', { username: 'bob', role: 'operator', applications: ['open'] });
      const limited = (await fixture.inConsole('/console', 'bob')).seen;
      assert(!limited.text.includes('stafff'), 'of an application that the operator may not see');
    });
  });

  it('requires a second factor of operators who have none, by one press', async () => {
    await withConsole({ env: { GATEHOUSE_OPERATOR_MFA: 'optional' } }, async fixture => {
      await fixture.owner.ask('POST', '/operators', { username: 'bob', role: 'operator' });
      const { visitor, seen } = await fixture.inConsole('/console');
      assert.match(seen.text, /2 operators have no second factor<.*A stolen password of alice and bob is enough/);
      const sent = await visitor.send(actForm(seen, 'require-factors'));
      assert.match(sent.text, /Sign in to Gatehouse/, 'the operator too, who sets one up after the password');
      const { json } = await fixture.owner.ask('GET', `/users/${await fixture.subOf('bob')}`);
      assert.equal(json.require_mfa, true);
      assert.deepEqual(await fixture.server.services.store.operatorsWithSingleFactor(10), []);
    });
  });

  it('offers an operator who is no owner no button for the others', async () => {
    await withConsole({ env: { GATEHOUSE_OPERATOR_MFA: 'optional' } }, async ({ inConsole }) => {
      const { text } = (await inConsole('/console', 'bob', 'operator')).seen;
      assert.match(text, /have no second factor/);
      assert(!text.includes('value="require-factors"'));
    });
  });

  it('names a secret of the server that is an example', async () => {
    const GATEHOUSE_SECRET = 'replace-this-by-at-least-32-random-bytes';
    await withConsole({ env: { GATEHOUSE_SECRET } }, async ({ inConsole }) => {
      const { text } = (await inConsole('/console')).seen;
      assert.match(text, /GATEHOUSE_SECRET is not a secret<.*href="\/console\/settings"/);
      assert(!text.includes(GATEHOUSE_SECRET));
    });
  });

  it('of an empty deployment is a list of next steps', async () => {
    await withConsole({ applications: [] }, async fixture => {
      const { visitor, seen } = await fixture.inConsole('/console');
      assert.match(seen.text, /<h2>Next steps<\/h2>[\s\S]*href="\/console\/applications\/new">New application/);
      assert.match(seen.text, /<strong>Set up mail<\/strong> <span class="muted">Done/);
      assert(!seen.text.includes('class="tiles"') && !seen.text.includes('No backup is known'));
      await fixture.owner.ask('POST', '/applications', { code: 'first', name: 'First' });
      const next = await visitor.go(fixture.at('/console'));
      assert.match(next.text, /<strong>Register an application<\/strong> <span class="muted">Done/);
      assert.match(next.text, /href="\/console\/applications\/first\/clients\/new">Add a client/);
      const client = { client_name: 'Web', redirect_uris: ['https://web.example/callback'] };
      assert.equal((await fixture.owner.ask('POST', '/applications/first/clients', client)).status, 201);
      assert.doesNotMatch((await visitor.go(fixture.at('/console'))).text, /Next steps/);
    });
  });
});

describe('clients.rules.ts', () => {
  it('has every secret that the documents write', () => {
    const root = new URL('../../../', import.meta.url);
    const files = ['docs/guides/client-settings.md', 'docs/guides/api.md', 'docs/guides/first-application.md'];
    const text = files.map(file => readFileSync(new URL(file, root), 'utf8')).join('\n');
    const written = [...text.matchAll(/client_secret: (replace\S+)/g)].map(([, secret = '']) => secret);
    assert(written.length > 5);
    assert.deepEqual(
      [...new Set(written)].filter(secret => !DOCUMENTED_SECRETS.includes(secret)),
      [],
    );
  });

  for (const [secret, expected] of [
    ['replace-this-by-at-least-32-random-bytes', true],
    ['changeme-changeme-changeme-changeme', true],
    ['aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', true],
    ['9f2c6f0b7d1e4a58b3c9d7e1f0a2b4c6', false],
  ] as const) {
    it(`${secret} is ${expected ? 'a placeholder' : 'none'}`, () => assert.equal(isPlaceholder(secret), expected));
  }

  const web = { grant_types: ['authorization_code', 'refresh_token'], redirect_uris: ['https://web.example/'] };
  const nobody = { groups: [], roles: [], users: [] };
  for (const [what, client, access, expected] of [
    ['a website', web, 'everybody', undefined],
    ['one without a redirect URI', { ...web, redirect_uris: [] }, 'everybody', 'noRedirectUri'],
    ['one that only refreshes', { ...web, grant_types: ['refresh_token'] }, 'everybody', 'noGrant'],
    ['a website of an application that admits nobody', web, nobody, 'nobodyAdmitted'],
    ['a website of an application that admits a group', web, { ...nobody, groups: ['staff'] }, undefined],
    [
      'a machine of one that admits nobody',
      { grant_types: ['client_credentials'], redirect_uris: [] },
      nobody,
      undefined,
    ],
    [
      'one with a password grant too',
      { grant_types: ['authorization_code', 'password'], redirect_uris: [] },
      undefined,
      undefined,
    ],
  ] as const) {
    it(`${what}: ${expected ?? 'can be used'}`, () => assert.equal(unusableReason(client, access), expected));
  }
});
