/**
 * The commands over operations: `gatehouse <noun> <verb>`. A verb names its operation, and which of the path
 * parameters and body fields are plain arguments; every other field of the body is an option (`client_name`: --client-name).
 */
export interface Verb {
  /** Its id in the admin API. */
  readonly operation: string;
  /** Path parameters or fields of the body, in the order of the arguments. */
  readonly arguments?: readonly string[];
  /** Path parameters that are options, by the name of the option. */
  readonly options?: Readonly<Record<string, string>>;
  /** A secret field that a person is asked for on a terminal. */
  readonly asks?: string;
  readonly example: string;
  /** Works without the secret of the server: for what an operator has to list and delete when it is lost. */
  readonly withoutSecret?: boolean;
}

export interface Noun {
  readonly summary: string;
  readonly verbs: Readonly<Record<string, Verb>>;
}

const OF_APPLICATION = { app: 'code' };
const OF_CLIENT = { app: 'code', client: 'client_id' };

export const nouns: Readonly<Record<string, Noun>> = {
  applications: {
    summary: 'list, create, change, delete and restore applications',
    verbs: {
      list: { operation: 'listApplications', example: 'gatehouse applications list' },
      get: { operation: 'getApplication', arguments: ['code'], example: 'gatehouse applications get shop --json' },
      create: {
        operation: 'createApplication',
        arguments: ['code'],
        example: 'gatehouse applications create shop --name Shop',
      },
      update: {
        operation: 'updateApplication',
        arguments: ['code'],
        example: 'gatehouse applications update shop --access-token-ttl 900',
      },
      delete: { operation: 'deleteApplication', arguments: ['code'], example: 'gatehouse applications delete shop' },
      restore: { operation: 'restoreApplication', arguments: ['code'], example: 'gatehouse applications restore shop' },
    },
  },
  clients: {
    summary: 'list, register, change and delete clients, and their secrets',
    verbs: {
      list: {
        operation: 'listClients',
        options: OF_APPLICATION,
        example: 'gatehouse clients list --app shop',
        withoutSecret: true,
      },
      get: {
        operation: 'getClient',
        options: OF_CLIENT,
        example: 'gatehouse clients get --app shop --client shop-web',
      },
      create: {
        operation: 'createClient',
        options: OF_APPLICATION,
        example:
          'gatehouse clients create --app shop --preset web --client-id shop-web --redirect-uris https://shop.example/callback',
      },
      update: {
        operation: 'updateClient',
        options: OF_CLIENT,
        example: 'gatehouse clients update --app shop --client shop-web --require-consent true',
      },
      delete: {
        operation: 'deleteClient',
        options: OF_CLIENT,
        example: 'gatehouse clients delete --app shop --client shop-web',
        withoutSecret: true,
      },
      secrets: {
        operation: 'listClientSecrets',
        options: OF_CLIENT,
        example: 'gatehouse clients secrets --app shop --client shop-web',
      },
      'new-secret': {
        operation: 'createClientSecret',
        options: OF_CLIENT,
        example: 'gatehouse clients new-secret --app shop --client shop-web --previous-valid-for 3600',
      },
      'delete-secret': {
        operation: 'deleteClientSecret',
        options: OF_CLIENT,
        arguments: ['id'],
        example: 'gatehouse clients delete-secret --app shop --client shop-web sec_0123456789abcdef0123',
      },
      'initial-tokens': {
        operation: 'listInitialAccessTokens',
        options: OF_APPLICATION,
        example: 'gatehouse clients initial-tokens --app shop',
      },
      'new-initial-token': {
        operation: 'createInitialAccessToken',
        options: OF_APPLICATION,
        example: 'gatehouse clients new-initial-token --app shop --name partner --json',
      },
      'delete-initial-token': {
        operation: 'deleteInitialAccessToken',
        options: OF_APPLICATION,
        arguments: ['id'],
        example: 'gatehouse clients delete-initial-token --app shop iat_0123456789abcdef01234567',
      },
    },
  },
  users: {
    summary: 'list, search, create, change, delete and sign out users',
    verbs: {
      list: { operation: 'listUsers', example: 'gatehouse users list --q ali' },
      get: { operation: 'getUser', arguments: ['sub'], example: 'gatehouse users get SUB --json' },
      create: {
        operation: 'createUser',
        example: 'gatehouse users create --username alice --email alice@example.com',
      },
      update: {
        operation: 'updateUser',
        arguments: ['sub'],
        example: 'gatehouse users update SUB --disabled true',
      },
      delete: { operation: 'deleteUser', arguments: ['sub'], example: 'gatehouse users delete SUB' },
      'set-password': {
        operation: 'setUserPassword',
        arguments: ['sub'],
        asks: 'password',
        example: 'gatehouse users set-password SUB --password-stdin < password.txt',
      },
      invite: {
        operation: 'inviteUser',
        example: 'gatehouse users invite --email alice@example.com --name "Alice Example"',
      },
      'resend-invitation': {
        operation: 'resendInvitation',
        arguments: ['sub'],
        example: 'gatehouse users resend-invitation SUB',
      },
      'reset-factors': {
        operation: 'resetUserFactors',
        arguments: ['sub'],
        example: 'gatehouse users reset-factors SUB',
        withoutSecret: true,
      },
      'sign-out': { operation: 'signOutUser', arguments: ['sub'], example: 'gatehouse users sign-out SUB' },
      sessions: { operation: 'listUserSessions', arguments: ['sub'], example: 'gatehouse users sessions SUB' },
      grants: { operation: 'listUserGrants', arguments: ['sub'], example: 'gatehouse users grants SUB' },
      consents: { operation: 'listUserConsents', arguments: ['sub'], example: 'gatehouse users consents SUB' },
      factors: { operation: 'listUserFactors', arguments: ['sub'], example: 'gatehouse users factors SUB' },
      'email-undos': {
        operation: 'listEmailUndos',
        arguments: ['sub'],
        example: 'gatehouse users email-undos SUB',
      },
      'revoke-email-undos': {
        operation: 'revokeEmailUndos',
        arguments: ['sub'],
        example: 'gatehouse users revoke-email-undos SUB',
      },
      'trusted-browsers': {
        operation: 'listTrustedBrowsers',
        arguments: ['sub'],
        example: 'gatehouse users trusted-browsers SUB',
      },
      'distrust-browser': {
        operation: 'withdrawTrustedBrowser',
        arguments: ['sub', 'id'],
        example: 'gatehouse users distrust-browser SUB ID',
      },
    },
  },
  operators: {
    summary: 'list, add, change and remove operators',
    verbs: {
      list: { operation: 'listOperators', example: 'gatehouse operators list' },
      add: {
        operation: 'addOperator',
        arguments: ['username'],
        example: 'gatehouse operators add alice --role owner',
      },
      update: {
        operation: 'updateOperator',
        arguments: ['sub'],
        example: 'gatehouse operators update SUB --role auditor',
      },
      remove: { operation: 'removeOperator', arguments: ['sub'], example: 'gatehouse operators remove SUB' },
    },
  },
  'api-keys': {
    summary: 'list, create and delete keys of the admin API',
    verbs: {
      list: { operation: 'listApiKeys', example: 'gatehouse api-keys list' },
      create: {
        operation: 'createApiKey',
        example: 'gatehouse api-keys create --name ci --role operator --applications shop --json',
      },
      delete: {
        operation: 'deleteApiKey',
        arguments: ['id'],
        example: 'gatehouse api-keys delete key_0123456789abcdef01234567',
      },
    },
  },
  webhooks: {
    summary: 'list and change webhooks, their secrets and deliveries',
    verbs: {
      list: { operation: 'listWebhooks', example: 'gatehouse webhooks list', withoutSecret: true },
      get: { operation: 'getWebhook', arguments: ['id'], example: 'gatehouse webhooks get whk_0123 --json' },
      create: {
        operation: 'createWebhook',
        arguments: ['url'],
        example: 'gatehouse webhooks create https://crm.example/hooks --application shop --event-types user.created',
      },
      update: {
        operation: 'updateWebhook',
        arguments: ['id'],
        example: 'gatehouse webhooks update whk_0123 --state active',
      },
      delete: {
        operation: 'deleteWebhook',
        arguments: ['id'],
        example: 'gatehouse webhooks delete whk_0123',
        withoutSecret: true,
      },
      'new-secret': {
        operation: 'rotateWebhookSecret',
        arguments: ['id'],
        example: 'gatehouse webhooks new-secret whk_0123 --previous-valid-for 3600',
        withoutSecret: true,
      },
      test: { operation: 'testWebhook', arguments: ['id'], example: 'gatehouse webhooks test whk_0123' },
      deliveries: {
        operation: 'listDeliveries',
        arguments: ['id'],
        example: 'gatehouse webhooks deliveries whk_0123 --state failed',
      },
      delivery: {
        operation: 'getDelivery',
        arguments: ['id', 'delivery_id'],
        example: 'gatehouse webhooks delivery whk_0123 dlv_0123',
      },
      redeliver: {
        operation: 'redeliver',
        arguments: ['id', 'delivery_id'],
        example: 'gatehouse webhooks redeliver whk_0123 dlv_0123',
      },
    },
  },
};
