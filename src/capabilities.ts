import { everyProcess } from './assembly/capability.ts';
import { events } from './audit/events/capability.ts';
import { explain } from './audit/explain/capability.ts';
import { refusals } from './audit/refusals/capability.ts';
import { statistics } from './audit/statistics/capability.ts';
import type { Capability } from './capability.ts';
import { access } from './directory/access/capability.ts';
import { apis } from './directory/apis/capability.ts';
import { applications } from './directory/applications/capability.ts';
import { branding } from './directory/branding/capability.ts';
import { clients } from './directory/clients/capability.ts';
import { providers } from './directory/providers/capability.ts';
import { userAttributes } from './directory/user-attributes/capability.ts';
import { users } from './directory/users/capability.ts';
import { backchannelLogout } from './notify/backchannel-logout/capability.ts';
import { eventStreams } from './notify/event-streams/capability.ts';
import { mail } from './notify/mail/capability.ts';
import { webhooks } from './notify/webhooks/capability.ts';
import { authorizationCode } from './oauth/authorization-code/capability.ts';
import { authorizationDetails } from './oauth/authorization-details/capability.ts';
import { authorize } from './oauth/authorize/capability.ts';
import { ciba } from './oauth/ciba/capability.ts';
import { clientCredentials } from './oauth/client-credentials/capability.ts';
import { device } from './oauth/device/capability.ts';
import { discovery } from './oauth/discovery/capability.ts';
import { dpop } from './oauth/dpop/capability.ts';
import { encryption } from './oauth/encryption/capability.ts';
import { fapi } from './oauth/fapi/capability.ts';
import { federatedCredentials } from './oauth/federated-credentials/capability.ts';
import { frontchannelLogout } from './oauth/frontchannel-logout/capability.ts';
import { identityAssertions } from './oauth/identity-assertions/capability.ts';
import { implicit } from './oauth/implicit/capability.ts';
import { introspect } from './oauth/introspect/capability.ts';
import { jar } from './oauth/jar/capability.ts';
import { jarm } from './oauth/jarm/capability.ts';
import { logout } from './oauth/logout/capability.ts';
import { mtls } from './oauth/mtls/capability.ts';
import { pairwise } from './oauth/pairwise/capability.ts';
import { par } from './oauth/par/capability.ts';
import { passwordGrant } from './oauth/password-grant/capability.ts';
import { bearer } from './oauth/proof-of-possession/capability.ts';
import { refresh } from './oauth/refresh/capability.ts';
import { registration } from './oauth/registration/capability.ts';
import { revoke } from './oauth/revoke/capability.ts';
import { signingKeys } from './oauth/signing-keys/capability.ts';
import { token } from './oauth/token/capability.ts';
import { tokenExchange } from './oauth/token-exchange/capability.ts';
import { userinfo } from './oauth/userinfo/capability.ts';
import { adminApi } from './operators/api/capability.ts';
import { apiKeys } from './operators/api-keys/capability.ts';
import { applyFiles } from './operators/apply/capability.ts';
import { backup } from './operators/backup/capability.ts';
import { consoleFrame } from './operators/console-frame/capability.ts';
import { demo } from './operators/demo/capability.ts';
import { firstOwner } from './operators/first-owner/capability.ts';
import { frontDoor } from './operators/front-door/capability.ts';
import { userImport } from './operators/import/capability.ts';
import { mcp } from './operators/mcp/capability.ts';
import { overview } from './operators/overview/capability.ts';
import { roles } from './operators/roles/capability.ts';
import { activity } from './people/activity/capability.ts';
import { agents } from './people/agents/capability.ts';
import { consent } from './people/consent/capability.ts';
import { email } from './people/email/capability.ts';
import { federation } from './people/federation/capability.ts';
import { knownBrowsers } from './people/known-browsers/capability.ts';
import { ldap } from './people/ldap/capability.ts';
import { linking } from './people/linking/capability.ts';
import { myData } from './people/my-data/capability.ts';
import { noAccess } from './people/no-access/capability.ts';
import { openidConnect } from './people/openid-connect/capability.ts';
import { passkey } from './people/passkey/capability.ts';
import { password } from './people/password/capability.ts';
import { passwordCheck } from './people/password-check/capability.ts';
import { profile } from './people/profile/capability.ts';
import { providerSessions } from './people/provider-sessions/capability.ts';
import { recoveryCodes } from './people/recovery-codes/capability.ts';
import { saml } from './people/saml/capability.ts';
import { secondFactor } from './people/second-factor/capability.ts';
import { sessions } from './people/sessions/capability.ts';
import { signIn } from './people/sign-in/capability.ts';
import { signUp } from './people/sign-up/capability.ts';
import { totp } from './people/totp/capability.ts';
import { trustedBrowsers } from './people/trusted-browsers/capability.ts';

/** Everything that Gatehouse can do, a line each. */
export const capabilities: readonly Capability[] = [
  // What programs speak with.
  authorize,
  par,
  token,
  authorizationCode,
  refresh,
  clientCredentials,
  tokenExchange,
  identityAssertions,
  passwordGrant,
  jar,
  jarm,
  encryption,
  fapi,
  federatedCredentials,
  authorizationDetails,
  frontchannelLogout,
  implicit,
  device,
  ciba,
  bearer,
  mtls,
  dpop,
  introspect,
  userinfo,
  revoke,
  registration,
  pairwise,
  signingKeys,
  discovery,
  logout,
  // What a person does.
  signIn,
  federation,
  openidConnect,
  saml,
  ldap,
  passwordCheck,
  linking,
  providerSessions,
  consent,
  agents,
  email,
  myData,
  noAccess,
  passkey,
  password,
  recoveryCodes,
  totp,
  secondFactor,
  signUp,
  profile,
  sessions,
  activity,
  trustedBrowsers,
  knownBrowsers,
  // What is registered.
  applications,
  clients,
  access,
  apis,
  branding,
  providers,
  users,
  userAttributes,
  // What is sent.
  mail,
  webhooks,
  eventStreams,
  backchannelLogout,
  // What is remembered.
  events,
  explain,
  refusals,
  statistics,
  // Who operates, and how.
  roles,
  apiKeys,
  overview,
  backup,
  consoleFrame,
  adminApi,
  applyFiles,
  userImport,
  mcp,
  demo,
  firstOwner,
  frontDoor,
  everyProcess,
];
