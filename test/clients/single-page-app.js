/* The script of the single-page application: everything about OpenID Connect is left to the library. */
/* global oidc */
const { origin } = globalThis.location;
const manager = new oidc.UserManager({
  redirect_uri: `${origin}/callback`,
  post_logout_redirect_uri: `${origin}/bye`,
  silentRequestTimeoutInSeconds: 8,
  ...JSON.parse(document.getElementById('settings').textContent),
});
const renewed = [];
manager.events.addUserLoaded(user => renewed.push(user.access_token));
manager.events.addSilentRenewError(error => {
  document.title = `renewal failed: ${error.message}`;
});

/** The library finds out by itself whether it was called back in the window, in a popup or in a hidden frame. */
async function arrive() {
  if (globalThis.location.pathname === '/callback') return manager.signinCallback();
  if (globalThis.location.pathname === '/bye') return manager.signoutCallback();
  return undefined;
}

const arrived = arrive().then(
  result => ({ result }),
  ({ name, message, error }) => ({ failed: { name, message, error } }),
);
Object.assign(globalThis, { manager, renewed, arrived });
