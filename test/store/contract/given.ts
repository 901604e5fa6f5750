import { randomBytes } from 'node:crypto';
import type { ApplicationSettings } from '../../../src/directory/applications/rules.ts';
import type { Client } from '../../../src/directory/clients/rules.ts';
import type { Profile } from '../../../src/directory/users/claims.rules.ts';
import type { Account } from '../../../src/directory/users/store.ts';
import { NO_CLAIMS } from '../../../src/oauth/authorize/claims-request.rules.ts';
import type { SealedKey } from '../../../src/oauth/signing-keys/store.ts';
import { scopes } from '../../../src/oauth/token/scope.rules.ts';
import type { TokenFamily } from '../../../src/oauth/token/store.ts';
import { passkeyIdOf } from '../../../src/people/passkey/rules.ts';
import type { NewPasskey } from '../../../src/people/passkey/store.ts';
import { onceKey } from '../../../src/platform/crypto/credential.ts';
import type { Store } from '../../../src/store.ts';

/** What the contract needs of a store: an empty one, and the means to open the same data a second time. */
export interface Opened {
  readonly store: Store;
  readonly url: string;
  /** A second store object on the same data. It lives in this process: no two writes run at the same instant. */
  another(): Promise<Store>;
  /** Closes everything that was opened and removes the data. */
  discard(): Promise<void>;
}

export type OpenStore = () => Promise<Opened>;

export const NOW = 1_800_000_000;
export const DAY = 86_400;
export const CALLBACK = 'https://client.example/cb';

/** Stands for the hash of a secret. */
export const digest = (): Uint8Array => randomBytes(32);

/** Stands for the key of a credential: the time of its end comes first (src/platform/crypto/credential.ts). */
export function credentialKey(expiresAt: number): Uint8Array {
  const key = randomBytes(part === undefined ? 38 : 39);
  key.writeUInt32BE(expiresAt);
  if (part !== undefined) key.writeUInt8(part, 6);
  return key;
}

/** The key of an identifier that is good once, until the end of these tests. */
export function usedKey(id: string): Uint8Array {
  return onceKey('DPoP proof', [id], NOW + DAY);
}

let part: number | undefined;

/** All keys from now on are those of credentials of a spread application (src/platform/store/application-parts.ts). */
export function keepKeysInPart(number: number | undefined): void {
  part = number;
}

export const unique = (prefix: string): string => `${prefix}-${randomBytes(6).toString('hex')}`;

export function application(over: Partial<ApplicationSettings> = {}): ApplicationSettings {
  return {
    code: unique('app'),
    name: 'Shop',
    strict_oidc: false,
    access_token_ttl: 3600,
    id_token_ttl: 1800,
    refresh_token_ttl: 2_592_000,
    refresh_family_ttl: 15_552_000,
    id_token_signed_response_alg: 'RS256',
    password_min_length: 8,
    trusted_browsers: false,
    mfa: 'optional',
    sign_up: false,
    providers: [],
    local_sign_in: true,
    require_verified_email: false,
    passkeys: true,
    access: 'everybody',
    apis: [],
    token_exchange: [],
    client_id_metadata: 'off',
    dynamic_registration: 'off',
    ...over,
  };
}

export function client(over: Partial<Client> = {}): Client {
  return {
    client_id: 'web',
    client_name: 'Web',
    secret_hash: 'hash-of-a-secret',
    redirect_uris: [CALLBACK],
    post_logout_redirect_uris: ['https://client.example/bye'],
    grant_types: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_method: 'client_secret_basic',
    scope: ['openid', 'email'],
    id_token_signed_response_alg: 'RS256',
    id_token_claims: 'minimal',
    userinfo_claims: 'standard',
    access_token_format: 'jwt',
    require_pkce: true,
    require_client_authentication: true,
    require_consent: true,
    refresh_token_rotation: false,
    refresh_token_grace: 7,
    backchannel_logout_uri: 'https://client.example/bcl',
    ...over,
  };
}

export function account(over: Partial<Account> = {}): Account {
  const username = unique('user');
  return {
    sub: unique('sub'),
    username,
    nickname: 'Al',
    picture: 'https://example.com/a.png',
    email: `${username}@example.com`,
    emailVerified: true,
    phoneNumber: `+86${Number.parseInt(hex(randomBytes(5)), 16)}`,
    phoneNumberVerified: true,
    passwordHash: '$argon2id$…',
    disabled: false,
    updatedAt: NOW - 1000,
    standardClaims: { name: 'Alice Example', address: { formatted: '1 Main Street\nExampleton', country: 'FR' } },
    membership: { groups: ['staff'], roles: { shop: ['admin'] } },
    ...over,
  };
}

/** An application with a client and a user, and what that user would grant that client. */
export interface Fixture {
  readonly app: string;
  readonly user: Account;
  readonly grant: TokenFamily;
}

export async function aFixture(store: Store, clientId = 'web'): Promise<Fixture> {
  const app = application();
  const user = account();
  await store.provision([
    { kind: 'application', application: app },
    ...[clientId, 'other', 'mobile'].map(
      id => ({ kind: 'client', app: app.code, client: client({ client_id: id }) }) as const,
    ),
    { kind: 'newUser', account: user },
  ]);
  return {
    app: app.code,
    user,
    grant: {
      clientId,
      sub: user.sub,
      scope: scopes,
      authTime: NOW - 5,
      amr: ['pwd', 'otp'],
      sid: 'sid-1',
      claims: NO_CLAIMS,
    },
  };
}

export function aNewPasskey(over: Partial<NewPasskey> = {}): NewPasskey {
  const credentialId = over.credentialId ?? unique('credential');
  return {
    ...{ id: passkeyIdOf(credentialId), credentialId, publicKey: 'pQECAyYg', transports: ['internal', 'hybrid'] },
    ...{
      isSyncable: true,
      isBackedUp: false,
      name: 'Laptop',
      signCount: 0,
      limit: 20,
      recoveryHashes: ['hash-1', 'hash-2'],
    },
    ...{ challenge: unique('challenge'), challengeExpiresAt: NOW + 660 },
    ...over,
  };
}

export async function disable(
  store: Store,
  { sub, updatedAt = NOW }: { sub: string; updatedAt?: number },
  disabled = true,
): Promise<void> {
  await store.provision([{ kind: 'user', sub, disabled, now: updatedAt }]);
}

/** What a lookup returns about a user: never the password. */
export function profileOf({ passwordHash: _, disabled: __, ...profile }: Account): Profile {
  return profile;
}

export function signingKey(app: string, over: Partial<SealedKey> = {}): SealedKey {
  const kid = unique('kid');
  const publicJwk = `{"kid":"${kid}"}`;
  return {
    app,
    kid,
    alg: 'ES256',
    publicJwk,
    sealedPrivateKey: digest(),
    createdAt: NOW,
    signFrom: NOW,
    retiredAt: undefined,
    hasSigned: false,
    ...over,
  };
}

export const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** So many callers at the same time, spread over the stores in turn. */
export function race<T>(stores: readonly Store[], callers: number, call: (store: Store) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: callers }, (_, index) => call(stores[index % stores.length] as Store)));
}
