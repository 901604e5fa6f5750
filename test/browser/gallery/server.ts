import { newEvent } from '../../../src/audit/events/new-event.ts';
import { seedDemo } from '../../../src/operators/demo/seed.ts';
import { passkeyIdOf } from '../../../src/people/passkey/rules.ts';
import { keyOf, newCredential } from '../../../src/platform/crypto/credential.ts';
import { TOTP_SECRET } from '../../build/authenticator.ts';
import { aClient, anApplication, aUser } from '../../build/fixture.ts';
import { startTestServer, type TestServer } from '../../build/test-server.ts';
import { MIRA, OFFICE } from './agent-pages.ts';
import { DANA, SCREENS } from './device-pages.ts';

const LONG_NAME = 'Donaudampfschifffahrtsgesellschaftskapitänsversicherung for the Northern and Southern Territories';

const READER = aClient({
  ...{ client_id: 'reader', client_name: 'Lantern Reader for Android', require_consent: true },
  ...{ client_uri: 'https://reader.example/', policy_uri: 'https://reader.example/privacy' },
  tos_uri: 'https://reader.example/terms',
});
/** The client that registers itself. */
export const ASSISTANT = 'assistant';

const named = (username: string, over = {}) =>
  aUser({ username, email: `${username}@example.com`, phone_number: null, ...over });
const USERS = [
  aUser(),
  DANA,
  MIRA,
  ...['erin', 'olaf', 'grace'].map(username => named(username)),
  named('theo', { email: null, totp_secret: TOTP_SECRET }),
  // Those who are asked for more than a password.
  named('uma', { email_verified: false }),
  named('nora', { email: null, email_verified: false }),
  named('petra', { require_password_change: true }),
];

/** An ordinary application, one whose name is hard to lay out, one for each thing that is asked of a user, and the demo. */
export async function openGallery(): Promise<TestServer> {
  const server = await startTestServer({
    // Passkeys need a domain name.
    hostname: 'localhost',
    applications: [
      anApplication({ name: 'Lantern Books', clients: [aClient(), READER] }),
      anApplication({ code: 'long', name: LONG_NAME, clients: [aClient()] }),
      anApplication({ code: 'club', name: 'Lantern Club', sign_up: true, require_verified_email: true }),
      anApplication({ code: 'trusting', name: 'Trusting', trusted_browsers: true }),
      anApplication({ code: 'staff', name: 'Lantern Staff', access: { groups: ['staff'] } }),
      anApplication({ code: 'bank', name: 'Lantern Bank', mfa: 'required' }),
      SCREENS,
      OFFICE,
    ],
    users: USERS,
    env: { MAIL_URL: 'smtp://127.0.0.1:1' },
  });
  await givePasskeys(server);
  await registerAssistant(server);
  await seedDemo(server.services);
  await server.services.registry.refresh();
  return server;
}

/** A client that has registered itself, on the device of the person. */
async function registerAssistant({ services }: TestServer): Promise<void> {
  const reader = await services.store.findClient('shop', 'reader');
  if (!reader) throw new Error('the client reader is gone');
  const own = { client_id: ASSISTANT, client_name: 'Helpful Assistant', origin: 'dynamic_registration' } as const;
  const native = { token_endpoint_auth_method: 'none', redirect_uris: ['http://localhost/callback'] } as const;
  const now = services.clock.now();
  const event = newEvent(services, { type: 'client.created', outcome: 'success', actor: { kind: 'system' } });
  await services.store.registerClient('shop', {
    client: { ...reader, ...own, ...native, secret_hash: undefined },
    ...{ tokenHash: Buffer.alloc(32), createdAt: now, maxClients: 10, unusedSince: now },
    ...{ event, deleted: () => event },
  });
}

/** Two passkeys of grace, one of them synchronised and used. The browser has no authenticator: nothing answers by itself. */
async function givePasskeys({ services }: TestServer): Promise<void> {
  const { sub = '' } = (await services.store.findAccount('grace')) ?? {};
  const now = services.clock.now();
  for (const [name, isSyncable] of [
    ['Laptop', true],
    ['Security key with a blue ribbon, from the drawer', false],
  ] as const) {
    const credentialId = Buffer.from(name).toString('base64url');
    const key = { credentialId, publicKey: '', transports: [], isSyncable, isBackedUp: isSyncable, signCount: 0 };
    const registered = { id: passkeyIdOf(credentialId), name, challenge: name, challengeExpiresAt: now };
    await services.store.addPasskey(sub, { ...key, ...registered, limit: 5, recoveryHashes: ['x'] }, now);
  }
}

/** A session of grace, who would have to answer with her passkey; its cookie. */
export async function openSessionOfGrace({ services }: TestServer): Promise<string> {
  const { sub = '' } = (await services.store.findAccount('grace')) ?? {};
  const now = services.clock.now();
  const id = newCredential('session', now + 3600, services.random);
  await services.store.openSession(
    {
      ...{ idHash: keyOf(id), sid: id.slice(-20), sub, authTime: now, amr: ['swk', 'user', 'mfa'] },
      ...{ openedByRequest: id.slice(-20), passwordHash: undefined, idleExpiresAt: now + 3600 },
      ...{ expiresAt: now + 3600, replaces: undefined, userAgent: undefined, address: '127.0.0.1' },
    },
    now,
  );
  return id;
}
