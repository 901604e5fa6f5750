import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { aClient, anApplication, PASSWORD } from '../build/fixture.ts';
import { logIn } from '../build/people.ts';
import { type ServerAddress, startTestServer, type TestServer, type TestServerOptions } from '../build/test-server.ts';
import { authorizationUrl, type Fields, Visitor } from '../build/visitor.ts';
import { openChromium } from './chromium.ts';
import { type Arrival, type ClientSite, openClientSite } from './client-site.ts';

/** A server, a client on another origin, one more origin behind that client, and a browser to go between them. */
export interface BrowserFixture {
  readonly server: TestServer;
  readonly client: ClientSite;
  readonly elsewhere: ClientSite;
  readonly browser: Browser;
  /** An authorization request of the client, to be answered at /cb unless said otherwise. */
  request(fields?: Fields): string;
  close(): Promise<void>;
}

export async function openBrowserFixture(options: TestServerOptions = {}): Promise<BrowserFixture> {
  const elsewhere = await openClientSite();
  const client = await openClientSite(`${elsewhere.origin}/landed`);
  const redirect_uris = [`${client.origin}/cb`, `${client.origin}/onward`];
  const server = await startTestServer({
    applications: [anApplication({ clients: [aClient({ redirect_uris })] })],
    ...options,
  });
  const browser = await openChromium();
  return {
    server,
    client,
    elsewhere,
    browser,
    request: fields => authorizationUrl(server, { redirect_uri: redirect_uris[0], ...fields }),
    async close() {
      await browser.close();
      await Promise.all([server.close(), client.close(), elsewhere.close()]);
    },
  };
}

/** A browser window with cookies of its own, and everything the browser complained about meanwhile. */
export interface Visit {
  readonly page: Page;
  readonly complaints: string[];
  /** For a further test in the same window, where a new one would cost more than the test: no cookies, no complaints. */
  forget(): Promise<void>;
  close(): Promise<void>;
}

export async function visit(browser: Browser, options: BrowserContextOptions = {}): Promise<Visit> {
  const context = await browser.newContext({ locale: 'en-GB', ...options });
  context.setDefaultTimeout(60_000);
  const complaints: string[] = [];
  context.on('weberror', error => complaints.push(`exception: ${error.error().message}`));
  context.on('console', message => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  const page = await context.newPage();
  const forget = async () => {
    await Promise.all([context.clearCookies(), page.unrouteAll()]);
    complaints.length = 0;
  };
  return { page, complaints, forget, close: () => context.close() };
}

/** Chromium notes every page with a status of 400 and above as an error: so do we, by the status. Not a complaint. */
export function withoutStatusNotes(complaints: readonly string[]): string[] {
  return complaints.filter(text => !/^Failed to load resource: the server responded with a status of 4\d\d/.test(text));
}

export async function fillIn(page: Page, username = 'alice', password = PASSWORD): Promise<void> {
  await page.locator('[name=username]').fill(username);
  await page.locator('[name=password]').fill(password);
}

/** The browser has the session of a person who signed in without it: for tests of what comes after a sign-in. */
export async function takeSession(page: Page, server: ServerAddress, username = 'alice'): Promise<void> {
  const visitor = new Visitor(server.base);
  await logIn(visitor, await visitor.follow(`${server.base}/account`), username);
  const cookies = [...visitor.cookies].map(([name, value]) => ({ name, value, url: server.base }));
  await page.context().addCookies(cookies);
}

export function signInButton(page: Page) {
  return page.getByRole('button', { name: 'Sign in', exact: true });
}

/** What a client's page finds in its own address, in the query or in the fragment. */
export function answerAt(page: Page): Record<string, string> {
  const { searchParams, hash } = new URL(page.url());
  return Object.fromEntries([...searchParams, ...new URLSearchParams(hash.slice(1))]);
}

export function arrivalsAt(site: ClientSite, path: string): Arrival[] {
  return site.arrivals.filter(arrival => arrival.path === path);
}
