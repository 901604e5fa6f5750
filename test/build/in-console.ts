import assert from 'node:assert/strict';
import type { Role } from '../../src/operators/roles/store.ts';
import { fixedClock } from './clock.ts';
import { aUser } from './fixture.ts';
import { anOperatorClient, type OperatorClient } from './operator.ts';
import { atLogin, bob, logIn } from './people.ts';
import { suitePart } from './suite-part.ts';
import { startTestServer, type TestServer, type TestServerOptions } from './test-server.ts';
import { type Form, formWith, type Seen, Visitor } from './visitor.ts';

/** A server with alice as owner, bob and carol without a role, and the way into the console for each of them. */
export interface ConsoleFixture {
  readonly server: TestServer;
  /** An API key, to look at what a page has done. */
  readonly owner: OperatorClient;
  readonly clock: ReturnType<typeof fixedClock>;
  at(path: string): string;
  subOf(username: string): Promise<string>;
  /** Signs in and comes to the page. A user who is no operator gets this role first. */
  inConsole(path: string, username?: string, role?: Role): Promise<InConsole>;
  close(): Promise<void>;
}

export interface InConsole {
  readonly visitor: Visitor;
  readonly seen: Seen;
}

export async function openConsole(options: TestServerOptions = {}): Promise<ConsoleFixture> {
  const clock = fixedClock();
  const carol = bob({ username: 'carol', email: 'carol@example.com', phone_number: '+8613800000003' });
  const server = await startTestServer({ users: [aUser(), bob(), carol], clock, ...options });
  const owner = await anOperatorClient(server);
  assert.equal((await owner.ask('POST', '/operators', { username: 'alice', role: 'owner' })).status, 201);
  const at = (path: string) => `${server.base}${path}`;
  return {
    server,
    owner,
    clock,
    at,
    close: server.close,
    subOf: async username => (await owner.ask('GET', `/users?q=${username}`)).json.items[0].sub,
    inConsole: async (path, username = 'alice', role) => {
      if (role !== undefined) await owner.ask('POST', '/operators', { username, role });
      const visitor = new Visitor(server.base);
      const login = await visitor.follow(at(path));
      assert(atLogin(login), login.text);
      return { visitor, seen: await logIn(visitor, login, username) };
    },
  };
}

/** For the suite that this is called in, or for the file. */
export function suiteConsole(options: TestServerOptions | (() => TestServerOptions) = {}): ConsoleFixture {
  return suitePart(
    () => openConsole(typeof options === 'function' ? options() : options),
    ({ server }) => server.close(),
  );
}

/** Without the frame around it, which has forms and links of its own. */
export const contentOf = ({ text }: Seen) => /<main\b[\s\S]*<\/main>/.exec(text)?.[0] ?? '';

export const titleOf = ({ text }: Seen) => /<h1>(.*?)<\/h1>/.exec(text)?.[1];

/** The form whose hidden `action` has this value, and `id` if the page has several. */
export function actForm(page: Seen, action: string, id?: string): Form {
  const own = id === undefined ? '' : `"><input type="hidden" name="id" value="${id}`;
  return formWith(page, `action" value="${action}${own}`);
}
