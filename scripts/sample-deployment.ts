/** A small deployment with a day of traffic behind it, for the pictures of the documents. */
import type { Page } from 'playwright-core';
import type { Services } from '../src/services.ts';
import { fixedClock } from '../test/build/clock.ts';
import { PASSWORD } from '../test/build/fixture.ts';
import { anOperatorClient } from '../test/build/operator.ts';
import { startTestServer, type TestServer } from '../test/build/test-server.ts';

/** What readers have in their address bar; the browser finds the port of this run behind it (`browserArguments`). */
const BASE = 'http://localhost:3000';
const NOW = Date.UTC(2026, 10, 16, 9, 30) / 1000;
const HOURS_OF_TRAFFIC = 23;

export interface SampleDeployment {
  readonly server: TestServer;
  /** Lead the browser to the server. */
  readonly browserArguments: readonly string[];
  readonly pictures: readonly Picture[];
}

export interface Picture {
  readonly name: string;
  readonly height: number;
  open(page: Page): Promise<void>;
}

const WEB = 'https://books.example/callback';
const applications = [
  {
    code: 'books',
    name: 'Lantern Books',
    clients: [
      {
        client_id: 'books-web',
        client_name: 'Lantern Books',
        client_secret: 'replace-this-secret',
        redirect_uris: [WEB, 'http://localhost:4000/api/auth/callback/gatehouse'],
      },
      {
        client_id: 'books-reader',
        client_name: 'Lantern Reader for Android',
        token_endpoint_auth_method: 'none' as const,
        redirect_uris: ['com.example.lantern:/callback'],
      },
    ],
  },
  { code: 'billing', name: 'Billing' },
  { code: 'grafana', name: 'Grafana' },
];
const users = [{ username: 'alice', password: PASSWORD, email: 'alice@example.com', name: 'Alice Example' }];

export async function openSampleDeployment(): Promise<SampleDeployment> {
  const clock = fixedClock(NOW - HOURS_OF_TRAFFIC * 3600);
  const server = await startTestServer({ applications, users, clock, env: { BASE_URL: BASE } });
  const owner = await anOperatorClient(server);
  await owner.ask('POST', '/operators', { username: 'alice', role: 'owner' });
  for (let hour = 0; hour < HOURS_OF_TRAFFIC; hour++) {
    countAnHour(server.services, hour);
    clock.advance(3600);
  }
  await server.services.statistics.flush();
  const { host } = new URL(server.base);
  return { server, browserArguments: [`--host-resolver-rules=MAP localhost:3000 ${host}`], pictures };
}

/** More by day than by night. */
function countAnHour({ statistics }: Services, hour: number): void {
  const busy = Math.round(40 + 35 * Math.sin((hour / HOURS_OF_TRAFFIC) * 2 * Math.PI - 2) + ((hour * 7) % 11));
  const times = (count: number, act: () => void) => Array.from({ length: count }, act);
  times(busy, () => statistics.loginSucceeded('books'));
  times(busy, () => statistics.tokensIssued('books', 'authorization_code'));
  times(busy * 3, () => statistics.tokensIssued('books', 'refresh_token'));
  times(busy >> 4, () => statistics.loginFailed('books'));
  times(busy >> 4, () => statistics.refused('books', 'credentialsWrong'));
  // The times are those of a clock of the process, in milliseconds.
  times(busy * 9, () => statistics.answered('books', 'token', hour * 10_000, hour * 10_000 + 2 + (busy % 5)));
  times(hour > 18 ? 5 : 0, () => statistics.refused('books', 'redirectUriUntrusted'));
}

const request = (fields: Record<string, string>) =>
  `${BASE}/api/v1/authorize/books/oauth2/auth?${new URLSearchParams({ response_type: 'code', scope: 'openid profile email', ...fields })}`;
const webRequest = request({ client_id: 'books-web', redirect_uri: WEB });
const readerRequest = request({
  client_id: 'books-reader',
  redirect_uri: 'com.example.lantern:/callback',
  code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  code_challenge_method: 'S256',
});

async function signIn(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await page.locator('[name=username]').fill('alice');
  await page.locator('[name=password]').fill(PASSWORD);
  await page.locator('[name=password]').press('Enter');
}

const inConsole = (path: string) => async (page: Page) => {
  await signIn(page, `${BASE}${path}`);
  await page.locator('body.console').waitFor();
};

/** A slash too many, as an application sends it; then from the error page to its explanation. */
async function refusal(page: Page): Promise<void> {
  const answered = await page.goto(request({ client_id: 'books-web', redirect_uri: `${WEB}/` }));
  await inConsole(`/console/refusals/${answered?.headers()['x-request-id']}`)(page);
}

const pictures: readonly Picture[] = [
  { name: 'login', height: 720, open: async page => void (await page.goto(webRequest)) },
  {
    name: 'consent',
    height: 720,
    open: async page => {
      await signIn(page, readerRequest);
      await page.locator('[value=allow]').waitFor();
    },
  },
  { name: 'console', height: 900, open: inConsole('/console') },
  { name: 'connect', height: 900, open: inConsole('/console/applications/books/clients/books-web') },
  { name: 'refusal', height: 900, open: refusal },
];
