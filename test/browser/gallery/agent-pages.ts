import type { Page } from 'playwright-core';
import { newEvent } from '../../../src/audit/events/new-event.ts';
import { CIBA_GRANT } from '../../../src/oauth/ciba/rules.ts';
import { stopAgent } from '../../../src/people/agents/queries.ts';
import { askPerson } from '../../build/approvals.ts';
import { basic } from '../../build/client.ts';
import { aClient, anApplication, aUser, type ClientInput } from '../../build/fixture.ts';
import { aPayment, payApis } from '../../build/payments.ts';
import type { TestServer } from '../../build/test-server.ts';
import { go, inSession, type Open, type Pages, request } from './shown.ts';

const SECRET = 'agent-secret-1';
const agent = (client_id: string, client_name: string, over: ClientInput): ClientInput => ({
  ...{ client_id, client_name, client_secret: SECRET, client_type: 'agent', scope: 'pay:status' },
  ...{ grant_types: ['client_credentials', CIBA_GRANT], ...over },
});

/** The pages of agents and of payments, with an application and a person of their own. */
export const MIRA = aUser({ username: 'mira', email: 'mira@example.com', phone_number: null, groups: ['Purchasing'] });
export const OFFICE = anApplication({
  ...{ code: 'office', name: 'Lantern Office', apis: payApis },
  clients: [
    agent('buyer', 'Purchase assistant', { owner: { user: 'mira' } }),
    agent('archivist', 'Archivist of the Northern and Southern Territories', { owner: { group: 'Purchasing' } }),
    agent('quiet', 'Quiet helper', { owner: { user: 'mira' }, scope: 'openid' }),
    aClient({ client_id: 'till', client_name: 'Lantern Till', scope: 'openid email pay:status' }),
  ],
});

async function agents(page: Page, server: TestServer): Promise<void> {
  const { services } = server;
  const { sub } = (await services.store.findAccount('mira')) ?? {};
  const who = { type: 'agent.stopped', outcome: 'success', actor: { kind: 'user', id: sub } } as const;
  await stopAgent(services.store.cold, 'office', 'archivist', newEvent(services, { ...who, subject: sub }));
  await inSession(go('/account/agents'), 'mira')(page, server);
}

/** One request waits for all pictures: a client that nobody answers is not heard for long. */
const question: Open = async (page, server) => {
  const wanted = { login_hint: undefined, authorization_details: JSON.stringify([aPayment()]) };
  await inSession(go('/account/approvals'), 'mira')(page, server);
  if ((await page.locator('a[href*="request="]').count()) === 0) {
    await askPerson(server, wanted, { auth: basic('buyer', SECRET) }, 'office');
    await page.reload();
  }
  await page.click('a[href*="request="]');
  await page.waitForSelector('[value=allow]');
};

/** One among ordinary permissions, and one whose words are long. */
const PAYMENTS = [
  aPayment(),
  aPayment({ amount: '999999999.00', payee: { name: 'Northern and Southern Territories Steam Navigation Co.' } }),
];
const payments = request(
  { client_id: 'till', scope: 'openid email', prompt: 'consent', authorization_details: JSON.stringify(PAYMENTS) },
  'office',
);

export const agentPages: Pages = {
  'account-agents': agents,
  'agent-question': question,
  'consent-payments': inSession(payments, 'mira'),
};
