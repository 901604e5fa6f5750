import { capability, from } from '../../capability.ts';

/** OpenID Connect Front-Channel Logout: the page after a sign-out (oauth/logout) loads an address of each client of the session in a frame. */
export const frontchannelLogout = capability('oauth/frontchannel-logout', {
  fields: from(() => import('./fields.ts'), 'frontchannelLogoutFields'),
});
