import { encodeParams } from '../../platform/http/params.rules.ts';

/** The application that an empty embedded store begins with, so that a newcomer sees a whole flow within a minute. */
export const DEMO = {
  app: 'demo',
  clientId: 'demo',
  username: 'demo',
  email: 'demo@example.com',
  callbackPath: '/demo/callback',
  /** The pair of RFC 7636 appendix B. It is public and proves nothing; a real client makes its own. */
  verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
  challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
} as const;

/** The authorization request of the demo client: code flow with PKCE. */
export function demoAuthorizationUrl(issuer: string, callback: string): string {
  return `${issuer}/auth?${encodeParams([
    ['client_id', DEMO.clientId],
    ['redirect_uri', callback],
    ['scope', 'openid profile email'],
    ['state', 'demo'],
    ['response_type', 'code'],
    ['code_challenge', DEMO.challenge],
    ['code_challenge_method', 'S256'],
  ])}`;
}

export interface DemoCredentials {
  readonly issuer: string;
  readonly clientSecret: string;
  readonly password: string;
  readonly callback: string;
}

/** Lines to paste into a shell: each works as it stands. */
export const demoCurl = {
  codeWithPkce: (issuer: string, callback: string, code: string) =>
    `curl -s ${issuer}/token -d grant_type=authorization_code -d code=${code} -d redirect_uri=${callback} -d code_verifier=${DEMO.verifier}`,
  code: ({ issuer, clientSecret, callback }: DemoCredentials, code: string) =>
    `curl -s -u ${DEMO.clientId}:${clientSecret} ${issuer}/token -d grant_type=authorization_code -d code=${code} -d redirect_uri=${callback}`,
  password: ({ issuer, clientSecret, password }: DemoCredentials) =>
    `curl -s -u ${DEMO.clientId}:${clientSecret} ${issuer}/token -d grant_type=password -d username=${DEMO.username} -d password=${password}`,
  refresh: ({ issuer, clientSecret }: DemoCredentials, refreshToken: string) =>
    `curl -s -u ${DEMO.clientId}:${clientSecret} ${issuer}/token -d grant_type=refresh_token -d refresh_token=${refreshToken}`,
  introspect: ({ issuer, clientSecret }: DemoCredentials, token: string) =>
    `curl -s -u ${DEMO.clientId}:${clientSecret} ${issuer}/introspect -d token_type_hint=access_token -d token=${token}`,
  userinfo: (issuer: string, accessToken: string) =>
    `curl -s ${issuer}/userinfo -H "Authorization: Bearer ${accessToken}"`,
};
