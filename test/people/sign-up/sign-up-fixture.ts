import assert from 'node:assert/strict';
import { anApplication, aUser } from '../../build/fixture.ts';
import { MailTown } from '../../build/mail-people.ts';
import type { TestServer, TestServerOptions } from '../../build/test-server.ts';
import { authorizationUrl, formWith, type Seen, Visitor } from '../../build/visitor.ts';

/** A server with an application that lets people sign up and one that does not, and a browser; anew for each test. */
export const NEW = 'erin@example.com';
export const CHOSEN = 'a passphrase of erin';

export let town: MailTown;
export let server: TestServer;
export let visitor: Visitor;

export async function openTown(options: Pick<TestServerOptions, 'isPasswordCostReal'> = {}): Promise<void> {
  town = new MailTown();
  server = await town.start({
    ...options,
    applications: [
      anApplication({ sign_up: true, password_min_length: 10 }),
      anApplication({ code: 'closed', name: 'Closed' }),
    ],
    users: [aUser(), aUser({ username: 'dora', email: 'dora@example.com', phone_number: null, disabled: true })],
  });
  visitor = new Visitor(server.base);
}

export async function signUpPage(by = visitor): Promise<Seen> {
  const login = await by.follow(authorizationUrl(server));
  const link = /<a href="(\/signup\?[^"]+)">/.exec(login.text)?.[1];
  assert(link, 'the login page links to /signup');
  return by.go(server.base + link);
}

export async function signUp(
  fields: Record<string, string> = {},
  by = visitor,
  headers: Record<string, string> = {},
): Promise<Seen> {
  return by.send(formWith(await signUpPage(by), 'email'), { email: NEW, password: CHOSEN, ...fields }, headers);
}

export const typeCode = (page: Seen, code: string, by = visitor): Promise<Seen> =>
  by.send(formWith(page, 'code'), { code });
export const hasSession = (by = visitor): boolean => by.cookies.has('gatehouse_session');
export const accountOf = (name: string) => server.services.store.findAccount(name);
