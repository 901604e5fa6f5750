import { issuerOf } from '../../directory/applications/rules.ts';
import { NO_CLAIMS } from '../../oauth/authorize/claims-request.rules.ts';
import { UNBOUND } from '../../oauth/proof-of-possession/binding.ts';
import { newGrantId, planAccessToken, planRefreshToken } from '../../oauth/token/issue.ts';
import { defaultScope } from '../../oauth/token/scope.rules.ts';
import type { TokenFamily } from '../../oauth/token/store.ts';
import { keyOf, newCredential } from '../../platform/crypto/credential.ts';
import { encodeParams } from '../../platform/http/params.rules.ts';
import type { Services } from '../../services.ts';
import { eventsOf } from '../apply/applied-events.ts';
import { readApplyFiles } from '../apply/apply-file.ts';
import { planChanges } from '../apply/plan.ts';
import { DEMO, type DemoCredentials, demoAuthorizationUrl, demoCurl } from './demo.ts';

/** Creates the demo application with its client and user, and says once what to do with them. */
export async function seedDemo(services: Services): Promise<string> {
  const credentials: DemoCredentials = {
    issuer: issuerOf(services.config.baseUrl, DEMO.app),
    callback: services.config.baseUrl + DEMO.callbackPath,
    clientSecret: services.random.bytes(18).toString('base64url'),
    password: services.random.bytes(12).toString('base64url'),
  };
  await provisionDemo(services, credentials);
  return welcome(credentials, await demoTokens(services, credentials));
}

async function provisionDemo(services: Services, { callback, clientSecret, password }: DemoCredentials): Promise<void> {
  const text = JSON.stringify({
    applications: [
      {
        code: DEMO.app,
        name: 'Demo',
        clients: [
          {
            client_id: DEMO.clientId,
            client_name: 'Demo client',
            client_secret: clientSecret,
            redirect_uris: [callback],
            grant_types: ['authorization_code', 'refresh_token', 'password', 'implicit'],
          },
        ],
      },
    ],
    users: [{ username: DEMO.username, password, email: DEMO.email, email_verified: true, nickname: 'Demo' }],
  });
  const read = readApplyFiles(await services.tables.fields(), [{ name: 'demo', text }]);
  if (read.kind === 'faulty') throw new Error(`the demo cannot be created: ${read.faults.join('; ')}`);
  const { changes, differences } = await planChanges(services, read.file);
  await services.store.provision(changes, false, eventsOf(services, differences));
}

interface DemoTokens {
  readonly code: string;
  readonly accessToken: string;
  readonly refreshToken: string;
}

/** As if the demo user had signed in twice: a code to exchange, and a set of tokens. */
async function demoTokens(services: Services, { callback }: DemoCredentials): Promise<DemoTokens> {
  const application = await services.registry.application(DEMO.app);
  const user = await services.store.findAccount(DEMO.username);
  if (!application || !user) throw new Error('the demo application is gone');
  const now = services.clock.now();
  const family: TokenFamily = {
    claims: NO_CLAIMS,
    clientId: DEMO.clientId,
    sub: user.sub,
    scope: defaultScope,
    authTime: now,
    amr: ['pwd'],
    sid: undefined,
  };
  const access = planAccessToken(services, application, UNBOUND, undefined);
  const refresh = planRefreshToken(services, application, undefined);
  const code = newCredential('code', now + 300, services.random);
  await services.store.addTokenFamily(DEMO.app, family, {
    grantId: newGrantId(services),
    issuedAt: now,
    access: access.stored,
    refresh: refresh.stored,
  });
  await services.store.addCode(DEMO.app, {
    codeHash: keyOf(code),
    family,
    redirectUri: callback,
    codeChallenge: undefined,
    clientAuthenticationRequired: false,
    withRefresh: true,
    nonce: undefined,
    expiresAt: now + 300,
  });
  return { code, accessToken: access.value, refreshToken: refresh.value };
}

function welcome(credentials: DemoCredentials, tokens: DemoTokens): string {
  const { issuer, callback, clientSecret, password } = credentials;
  const authorizationUrl = (extra: Record<string, string>) =>
    `${issuer}/auth?${encodeParams([
      ['client_id', DEMO.clientId],
      ['redirect_uri', callback],
      ['scope', 'openid profile email'],
      ['state', 'demo'],
      ...Object.entries(extra),
    ])}`;
  const rule = '─'.repeat(78);
  return `
┌${rule}
│ Gatehouse created a demo application. This is shown once.
│ To start without it: GATEHOUSE_DEMO=false
├${rule}
│ issuer      ${issuer}
│ client      ${DEMO.clientId}
│ secret      ${clientSecret}
│ user        ${DEMO.username}
│ password    ${password}
└${rule}

Open in a browser and sign in (authorization code with PKCE):
${demoAuthorizationUrl(issuer, callback)}

The same with the implicit flow:
${authorizationUrl({ response_type: 'id_token token', nonce: 'demo' })}

Or paste into a shell.

Authorization code (this one works once, within five minutes):
${demoCurl.code(credentials, tokens.code)}

Password:
${demoCurl.password(credentials)}

Refresh token:
${demoCurl.refresh(credentials, tokens.refreshToken)}

Introspection and user information:
${demoCurl.introspect(credentials, tokens.accessToken)}
${demoCurl.userinfo(issuer, tokens.accessToken)}

`;
}
