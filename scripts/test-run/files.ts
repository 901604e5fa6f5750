/** Folders whose files take long: they begin first, so that no process is left alone with one at the end. */
const LONG = ['browser', 'cli', 'guides', 'faults', 'store', 'events', 'clients', 'bench', 'packaging'].map(
  name => `test/${name}/`,
);

export function longestFirst(files: readonly string[]): string[] {
  const rank = (file: string) => LONG.findIndex(folder => file.startsWith(folder)) >>> 0;
  return files.toSorted((one, other) => rank(one) - rank(other) || one.localeCompare(other, 'en'));
}

/** What speaks to the store in every way there is. The whole of test/http passes with TEST_STORE=postgres, but takes minutes. */
export const ON_POSTGRES = [
  ...[
    'code-grant',
    'code-replay',
    'refresh-grant',
    'refresh-family',
    'refresh-model',
    'refresh-across-servers',
    'password-grant',
    'one-account-several-names',
    'password-change',
    'imported-password',
    'introspect',
    'userinfo',
  ],
  ...[
    'revoke',
    'session',
    'consent',
    'logout',
    'backchannel-logout',
    'backchannel-delivery',
    'isolation',
    'spread-application',
    'key-rotation',
    'login-session',
    'admin-webhooks',
    'fuzz',
  ],
  ...['par', 'device', 'token-exchange', 'dynamic-registration', 'client-id-metadata'],
].map(name => `test/http/${name}.test.ts`);
