import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import type { Clock } from '../../../src/platform/deps.ts';
import { claimsOf, redeem, userinfo } from '../../build/client.ts';
import {
  type DirectoryContent,
  type DirectoryInput,
  openDirectory,
  type TestDirectory,
} from '../../build/directory.ts';
import {
  type ApplicationInput,
  type AttributeInput,
  aClient,
  anApplication,
  aUser,
  type UserInput,
} from '../../build/fixture.ts';
import { startTestServer, type TestServer } from '../../build/test-server.ts';
import { answerIn, authorizationUrl, formWith, type Seen, signIn, Visitor } from '../../build/visitor.ts';

/** A server whose application asks the directory `corp`, which a real slapd is. */
export interface Staffed {
  readonly server: TestServer;
  readonly corp: TestDirectory;
}

export interface StaffedOptions {
  readonly content?: DirectoryContent;
  readonly provider?: (corp: TestDirectory) => Partial<DirectoryInput>;
  readonly application?: Partial<ApplicationInput>;
  readonly users?: readonly UserInput[];
  readonly store?: 'SQLite' | 'PostgreSQL';
  readonly clock?: Clock;
  readonly attributes?: readonly AttributeInput[];
}

export const BOB = { uid: 'bob', password: 'of bob at corp', givenName: 'Bob', sn: 'Builder', cn: 'Bob Builder' };

const CLIENT = aClient({ scope: 'openid profile email groups' });

/** For the suite that this is called in. */
export function staffed({
  content = { people: [BOB] },
  provider,
  application,
  users = [aUser()],
  store,
  clock,
  attributes = [],
}: StaffedOptions = {}): Staffed {
  let started: Staffed | undefined;
  before(async () => {
    const corp = await openDirectory(content);
    const server = await startTestServer({
      env: { GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1' },
      applications: [],
      users,
      ...(store && { store }),
      ...(clock && { clock }),
    });
    await server.provision({
      user_attributes: attributes,
      providers: [corp.provider(provider?.(corp))],
      applications: [anApplication({ providers: ['corp'], clients: [CLIENT], ...application })],
    });
    started = { server, corp };
  });
  after(async () => {
    await started?.server.close();
    await started?.corp.close();
  });
  const own = () => started ?? assert.fail('the servers start with the first test of the suite');
  return {
    get server() {
      return own().server;
    },
    get corp() {
      return own().corp;
    },
  };
}

export const SCOPE = { scope: 'openid profile email groups' };

/** What the page answers to this name and password. */
export function typed(server: TestServer, username: string, password: string, visitor?: Visitor): Promise<Seen> {
  return signIn(server, SCOPE, { username, password, ...(visitor && { visitor }) });
}

/** The same where the browser would not send the form, such as without a password. */
export async function typedRaw(server: TestServer, username: string, password: string): Promise<Seen> {
  const visitor = new Visitor(server.base);
  const page = await visitor.follow(authorizationUrl(server, SCOPE));
  return visitor.send(formWith(page, 'password'), { username, password });
}

/** The claims of the person who signed in. */
export async function claimsAfter(server: TestServer, seen: Seen) {
  const { code } = answerIn(seen);
  assert(code, seen.text);
  const { json } = await redeem(server, code);
  return { ...(await userinfo(server, json.access_token)).json, ...claimsOf(json.id_token) };
}

export async function claimsOfTyped(server: TestServer, username: string, password: string) {
  return claimsAfter(server, await typed(server, username, password));
}

export function assertNotIn(seen: Seen): void {
  assert.equal(seen.location, undefined);
  assert.match(seen.text, /name="password"/);
}
