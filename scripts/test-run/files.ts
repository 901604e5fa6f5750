/** Folders whose files take long: they begin first, so that no process is left alone with one at the end. */
const LONG = [
  'browser',
  'assembly',
  'operators',
  'guides',
  'faults',
  'store',
  'audit',
  'clients',
  'bench',
  'packaging',
].map(name => `test/${name}/`);

/** Files of other folders that take as long. */
const LONG_FILES = [
  'oauth/signing-keys/key-rotation',
  'oauth/refresh/refresh-model',
  'people/sign-in/sign-in-walks',
  'platform/http/fuzz',
  'platform/http/nul',
  'platform/throttle/guessing-two-nodes',
].map(name => `test/${name}.test.ts`);

export function longestFirst(files: readonly string[]): string[] {
  const starts = [...LONG_FILES, ...LONG];
  const rank = (file: string) => starts.findIndex(start => file.startsWith(start)) >>> 0;
  return files.toSorted((one, other) => rank(one) - rank(other) || one.localeCompare(other, 'en'));
}

/** What speaks to the store in every way there is. All tests over HTTP pass with TEST_STORE=postgres, but take minutes. */
export const ON_POSTGRES = [
  'directory/client-id-metadata/client-id-metadata',
  'directory/users/one-account-several-names',
  'notify/backchannel-logout/backchannel-delivery',
  'notify/backchannel-logout/backchannel-logout',
  'notify/webhooks/admin-webhooks',
  'oauth/authorization-code/code-grant',
  'oauth/authorization-code/code-replay',
  'oauth/device/device',
  'oauth/introspect/introspect',
  'oauth/logout/logout',
  'oauth/par/par',
  'oauth/password-grant/password-grant',
  'oauth/refresh/refresh-across-servers',
  'oauth/refresh/refresh-family',
  'oauth/refresh/refresh-grant',
  'oauth/refresh/refresh-model',
  'oauth/registration/dynamic-registration',
  'oauth/revoke/revoke',
  'oauth/signing-keys/key-rotation',
  'oauth/token-exchange/token-exchange',
  'oauth/userinfo/userinfo',
  'people/consent/consent',
  'people/password/imported-password',
  'people/password/password-change',
  'people/saml/nodes',
  'people/sessions/login-session',
  'people/sessions/session',
  'platform/http/fuzz',
  'platform/http/isolation',
  'platform/http/spread-application',
].map(name => `test/${name}.test.ts`);
