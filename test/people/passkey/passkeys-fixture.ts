import assert from 'node:assert/strict';
import { claimsOf, redeem, WEB } from '../../build/client.ts';
import { type FixedClock, fixedClock } from '../../build/clock.ts';
import { delivered } from '../../build/delivered.ts';
import { anApplication, aUser, PASSWORD, type UserInput } from '../../build/fixture.ts';
import { aPasskey, askedBy, type SoftPasskey } from '../../build/passkey.ts';
import { startTestServer, type TestServer, type TestServerOptions } from '../../build/test-server.ts';
import { authorizationUrl, type Fields, formWith, type Seen, signIn, Visitor } from '../../build/visitor.ts';

/** A server whose users have passkeys, made and used by an authenticator in software. */
export interface PasskeyServer extends TestServer {
  readonly clock: FixedClock;
}

export async function startPasskeyServer(options: Pick<TestServerOptions, 'wrapStore'> = {}): Promise<PasskeyServer> {
  const clock = fixedClock();
  const server = await startTestServer({
    clock,
    hostname: 'localhost',
    applications: [
      anApplication(),
      anApplication({ code: 'open', name: 'Open', mfa: 'off' }),
      anApplication({ code: 'plain', name: 'Plain', passkeys: false }),
    ],
    users: [],
    ...options,
  });
  return { ...server, clock };
}

let count = 0;

/** A new user for each test: nothing is counted or throttled across tests. */
export async function aPerson(server: PasskeyServer, over: Partial<UserInput> = {}): Promise<string> {
  const username = `person${++count}`;
  const names = { username, email: `${username}@example.com`, phone_number: null, phone_number_verified: false };
  await server.provision({ users: [aUser({ ...names, ...over })] });
  server.clock.advance(600);
  return username;
}

export const PASSKEYS = '/account/security/passkeys';

/** The page where a passkey can be added, after a login with the password if one is needed. */
export async function passkeysPage(server: TestServer, visitor: Visitor, username: string): Promise<Seen> {
  const page = await visitor.follow(`${server.base}${PASSKEYS}`);
  return page.text.includes('name="password"')
    ? visitor.send(formWith(page, 'password'), { username, password: PASSWORD })
    : page;
}

export function addPasskey(visitor: Visitor, page: Seen, passkey: string, name = 'Laptop'): Promise<Seen> {
  return visitor.send(formWith(page, 'enrolment'), { passkey, name });
}

/** Adds a passkey in a browser of its own. */
export async function enrolled(
  server: TestServer,
  username: string,
  passkey = aPasskey(),
  visitor = new Visitor(server.base),
): Promise<SoftPasskey> {
  const page = await passkeysPage(server, visitor, username);
  const added = await addPasskey(visitor, page, passkey.register(askedBy(page)));
  assert.equal(added.status, 200, added.text.slice(0, 500));
  return passkey;
}

export const loginPage = (server: TestServer, visitor: Visitor, fields: Fields = {}, app?: string) =>
  visitor.follow(authorizationUrl(server, fields, app));

export const sendPasskey = (visitor: Visitor, page: Seen, passkey: string) =>
  visitor.send(formWith(page, 'passkey'), { passkey });

/** On /login, by the button. */
export async function byPasskey(
  server: TestServer,
  passkey: SoftPasskey,
  { visitor = new Visitor(server.base), fields = {}, app }: { visitor?: Visitor; fields?: Fields; app?: string } = {},
): Promise<Seen> {
  const page = await loginPage(server, visitor, fields, app);
  return sendPasskey(visitor, page, passkey.assert(askedBy(page)));
}

/** With the password; the page that comes next. */
export const byPassword = (server: TestServer, username: string, visitor: Visitor, fields: Fields = {}, app?: string) =>
  signIn(server, fields, { visitor, username, ...(app === undefined ? {} : { app }) });

export const hasSession = (visitor: Visitor) => visitor.cookies.has('gatehouse_session');

export async function idTokenOf(server: TestServer, seen: Seen, app?: string): Promise<Record<string, unknown>> {
  const { code = '' } = delivered(seen).fields;
  return claimsOf((await redeem(server, code, {}, { auth: WEB }, app)).json.id_token);
}

export const essentialAcr = (value: string) => JSON.stringify({ id_token: { acr: { essential: true, value } } });
