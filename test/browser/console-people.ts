import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { createMailSender } from '../../src/notify/mail/job.ts';
import { fixedClock } from '../build/clock.ts';
import { aUser, PASSWORD } from '../build/fixture.ts';
import { anOperatorClient } from '../build/operator.ts';
import { bob, signedIn, tokensOf } from '../build/people.ts';
import { startTestServer, type TestServer } from '../build/test-server.ts';

/** The pages of users, operators, API keys, webhooks and settings, with something on each of them. */
export interface ConsolePeople {
  readonly server: TestServer;
  readonly paths: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

const LONG_NAME = 'donaudampfschifffahrtsgesellschaftskapitaensversicherung@northern-territories.example.com';

export async function openConsolePeople(): Promise<ConsolePeople> {
  const long = bob({ username: LONG_NAME, email: LONG_NAME, phone_number: '+8613800000009', email_verified: false });
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-console-'));
  // The outbox is there for the embedded store alone.
  const env = { DATABASE_URL: `sqlite:${join(folder, 'gatehouse.db')}`, MAIL_URL: `file:${join(folder, 'outbox')}` };
  const started = await startTestServer({ users: [aUser(), bob({ disabled: true }), long], clock: fixedClock(), env });
  const close = () => started.close().finally(() => rmSync(folder, { recursive: true }));
  const server = { ...started, close };
  const { ask } = await anOperatorClient(server);
  const alice = (await ask('POST', '/operators', { username: 'alice', role: 'owner' })).json.sub;
  const limited = (await ask('POST', '/operators', { username: 'bob', role: 'operator', applications: ['shop'] })).json;
  await ask('POST', '/api_keys', { name: 'deployment', role: 'operator', applications: ['shop'] });
  await tokensOf(server, await signedIn(server));
  await server.services.store.addConsent(alice, 'shop', 'web', ['openid', 'email'], server.services.clock.now());
  await ask('POST', '/invitations', { email: 'guest@example.com' });
  await createMailSender(server.services).run();
  const mail = (await ask('GET', '/outbox')).json.items[0].id;
  const hook = { url: 'https://crm.example/hooks', description: 'To the CRM', event_types: ['user.created'] };
  const { id } = (await ask('POST', '/webhooks', hook)).json;
  const delivery = (await ask('POST', `/webhooks/${id}/test`)).json;
  return {
    server,
    close,
    paths: {
      users: '/console/users',
      'no user': '/console/users?q=nobody',
      'new user': '/console/users/new',
      'invite a user': '/console/users/invite',
      outbox: '/console/outbox',
      'mail of the outbox': `/console/outbox/${mail}`,
      user: `/console/users/${alice}`,
      operators: '/console/operators',
      operator: `/console/operators/${limited.sub}`,
      'API keys': '/console/api-keys',
      'call of the API': '/console/api/createUser',
      webhooks: '/console/webhooks',
      'new webhook': '/console/webhooks/new',
      webhook: `/console/webhooks/${id}`,
      delivery: `/console/webhooks/${id}/deliveries/${delivery.id}`,
      settings: '/console/settings',
    },
  };
}

/** Through the sign-in pages of the server. */
export async function enterConsole(page: Page, server: TestServer, path: string): Promise<void> {
  await page.goto(`${server.base}${path}`);
  await page.locator('[name=username]').fill('alice');
  await page.locator('[name=password]').fill(PASSWORD);
  await page.locator('[name=password]').press('Enter');
  await page.locator('body.console').waitFor();
}
