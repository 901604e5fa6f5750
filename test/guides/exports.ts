import { argon2Sync, pbkdf2Sync, randomBytes, randomUUID } from 'node:crypto';
import { hashSync } from '@node-rs/bcrypt';

/** Exports of other systems in their formats, of users who all have one password. The hashes are computed here, as these systems do. */
export const OLD_PASSWORD = 'corréct horse';

interface KeycloakUser {
  readonly id: string;
  readonly username: string;
  readonly credentialData: object;
  readonly secretData: object;
}

/** Keycloak 25 and later: Argon2id with 7 MiB and 5 passes. Before: PBKDF2, with as many iterations and bytes as each release had. */
export const KEYCLOAK_PASSWORDS: readonly KeycloakUser[] = [
  argon2User(),
  pbkdf2User('pbkdf2-sha512', 210_000, 'sha512', 64),
  pbkdf2User('pbkdf2-sha256', 27_500, 'sha256', 64),
  pbkdf2User('pbkdf2', 20_000, 'sha1', 64),
];

function pbkdf2User(algorithm: string, hashIterations: number, digest: string, bytes: number): KeycloakUser {
  const salt = randomBytes(16);
  const value = pbkdf2Sync(OLD_PASSWORD, salt, hashIterations, bytes, digest).toString('base64');
  return {
    id: randomUUID(),
    username: algorithm,
    credentialData: { hashIterations, algorithm, additionalParameters: {} },
    secretData: { value, salt: salt.toString('base64'), additionalParameters: {} },
  };
}

function argon2User(): KeycloakUser {
  const nonce = randomBytes(16);
  const parameters = { message: OLD_PASSWORD, nonce, parallelism: 1, tagLength: 32, memory: 7168, passes: 5 };
  const value = argon2Sync('argon2id', parameters).toString('base64');
  const additionalParameters = {
    hashLength: ['32'],
    memory: ['7168'],
    type: ['id'],
    version: ['1.3'],
    parallelism: ['1'],
  };
  return {
    id: randomUUID(),
    username: 'argon2',
    credentialData: { hashIterations: 5, algorithm: 'argon2', additionalParameters },
    secretData: { value, salt: nonce.toString('base64'), additionalParameters: {} },
  };
}

/** As `kc.sh export --users same_file` writes it, with the fields that matter and some that do not. */
export function keycloakRealm(): object {
  const users = KEYCLOAK_PASSWORDS.map(({ id, username, credentialData, secretData }) => ({
    id,
    username,
    firstName: 'Kim',
    lastName: 'Example',
    email: `${username}@example.com`,
    emailVerified: true,
    createdTimestamp: 1_700_000_000_000,
    enabled: true,
    totp: false,
    credentials: [
      {
        id: randomUUID(),
        type: 'password',
        createdDate: 1_700_000_000_000,
        secretData: JSON.stringify(secretData),
        credentialData: JSON.stringify(credentialData),
      },
    ],
    disableableCredentialTypes: [],
    requiredActions: [],
    realmRoles: ['default-roles-shop'],
    notBefore: 0,
    groups: [],
  }));
  const serviceAccount = {
    id: randomUUID(),
    username: 'service-account-reports',
    enabled: true,
    serviceAccountClientId: 'reports',
  };
  const client = { protocol: 'openid-connect', enabled: true, bearerOnly: false, publicClient: false, attributes: {} };
  return {
    id: randomUUID(),
    realm: 'shop',
    displayName: 'Shop',
    accessTokenLifespan: 300,
    users: [...users, serviceAccount],
    clients: [
      {
        ...client,
        clientId: 'account',
        publicClient: true,
        redirectUris: ['/realms/shop/account/*'],
        standardFlowEnabled: true,
      },
      {
        ...client,
        clientId: 'shop-web',
        name: 'Shop',
        secret: 'the-secret-in-keycloak-0123456789',
        rootUrl: 'https://shop.example',
        redirectUris: ['/callback', 'https://shop.example/*'],
        standardFlowEnabled: true,
        directAccessGrantsEnabled: true,
        attributes: {
          'post.logout.redirect.uris': 'https://shop.example/bye##+',
          'backchannel.logout.url': 'https://shop.example/bcl',
        },
      },
      {
        ...client,
        clientId: 'shop-app',
        name: '',
        publicClient: true,
        redirectUris: ['com.example.shop:/callback'],
        standardFlowEnabled: true,
        directAccessGrantsEnabled: true,
        attributes: { 'pkce.code.challenge.method': 'S256', 'post.logout.redirect.uris': '-' },
      },
      {
        ...client,
        clientId: 'reports',
        secret: 'another-secret-in-keycloak',
        redirectUris: [],
        serviceAccountsEnabled: true,
      },
    ],
  };
}

/** As the Management API of Auth0 lists them. */
export const AUTH0_CLIENTS = [
  {
    tenant: 'shop',
    global: true,
    name: 'All Applications',
    client_id: 'global0',
    client_secret: 'x'.repeat(64),
    callbacks: [],
  },
  {
    tenant: 'shop',
    global: false,
    name: 'Shop',
    app_type: 'regular_web',
    client_id: 'aBcDeFgHiJkLmNoPqRsTuVwXyZ012345',
    client_secret: 'auth0-secret-auth0-secret-auth0-secret-auth0-secret-auth0-secret',
    callbacks: ['https://shop.example/callback', 'https://*.shop.example/callback'],
    allowed_logout_urls: ['https://shop.example/'],
    token_endpoint_auth_method: 'client_secret_post',
    grant_types: ['authorization_code', 'implicit', 'refresh_token', 'client_credentials'],
    jwt_configuration: { alg: 'RS256', lifetime_in_seconds: 36_000 },
  },
  {
    tenant: 'shop',
    global: false,
    name: 'Shop for phones',
    app_type: 'native',
    client_id: 'ZyXwVuTsRqPoNmLkJiHgFeDcBa543210',
    callbacks: ['com.example.shop:/callback'],
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token'],
  },
  {
    tenant: 'shop',
    global: false,
    name: 'Worker',
    app_type: 'non_interactive',
    client_id: 'worker',
    grant_types: ['client_credentials'],
  },
];

/** The export with hashes that Auth0's support makes: one object on each line. */
export function auth0Users(): string {
  const common = { connection: 'Username-Password-Authentication', tenant: 'shop', _tmp_is_unique: true };
  const users = [
    { _id: { $oid: '507f1f77bcf86cd799439020' }, email: 'lee@example.com', email_verified: true },
    { _id: { $oid: '507f1f77bcf86cd799439021' }, email: 'max@example.com', email_verified: false },
  ];
  return users
    .map(user => `${JSON.stringify({ ...common, ...user, passwordHash: hashSync(OLD_PASSWORD, 10) })}\n`)
    .join('');
}

/** A table as a program of one's own has it, with bcrypt of two spellings and one user without a password. */
export function tableOfUsers(): readonly string[] {
  const hash = hashSync(OLD_PASSWORD, 10);
  return [
    'CREATE TABLE accounts (id int, login text, email text, email_confirmed boolean, full_name text, password text, active boolean)',
    `INSERT INTO accounts VALUES (17, 'ann', 'ann@example.com', true, 'Ann Example', '${hash}', true),
      (18, 'gone', NULL, false, NULL, '${hash.replace('$2b$', '$2y$')}', false), (19, 'new', NULL, false, 'Example, New', NULL, true)`,
  ];
}
