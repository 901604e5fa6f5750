import assert from 'node:assert/strict';
import { createMailSender } from '../../../src/notify/mail/job.ts';
import { AS_DESK, aDesk, aWaitingRequest, decideRequest, theApprovals } from '../../build/approvals.ts';
import { anAuthenticator } from '../../build/authenticator.ts';
import type { FixedClock } from '../../build/clock.ts';
import { aTv, aWaitingDevice, decide } from '../../build/device.ts';
import { aClient, anApplication, PASSWORD } from '../../build/fixture.ts';
import { mailsIn, outboxOf } from '../../build/mailbox.ts';
import { openOidcUpstream, UPSTREAM_CLIENT } from '../../build/oidc-upstream.ts';
import { logIn, press, signedIn } from '../../build/people.ts';
import type { TestServer } from '../../build/test-server.ts';
import { authorizationUrl, formWith, type Seen, Visitor } from '../../build/visitor.ts';
import { signInAtCorp } from '../../people/federation/federated.ts';

async function agents(server: TestServer): Promise<Record<string, string>> {
  const buyer = aClient({ client_id: 'buyer', client_type: 'agent', owner: { user: 'alice' } });
  await server.provision({
    applications: [anApplication({ code: 'desk', name: 'Desk', clients: [aClient(), buyer] })],
  });
  const visitor = await signedIn(server);
  for (const act of ['stop', 'start']) {
    const page = await visitor.follow(`${server.base}/account/agents`);
    await visitor.send(formWith(page, `${act}" value="buyer`));
  }
  return Object.fromEntries(visitor.cookies);
}

/** Every act of a person on the account pages that has an event. Returns the secrets that were seen on the way. */
export async function actAsPerson(server: TestServer, clock: FixedClock): Promise<Record<string, string>> {
  return {
    ...(await notAdmitted(server)),
    ...(await devices(server)),
    ...(await agents(server)),
    ...(await approvals(server)),
    ...(await secondFactor(server, clock)),
    ...(await otherAddress(server, clock)),
    ...(await forgottenPassword(server)),
    ...(await atProvider(server)),
  };
}

async function atProvider(server: TestServer): Promise<Record<string, string>> {
  const corp = await openOidcUpstream([`${server.base}/login/provider/corp/callback`]);
  try {
    await server.provision({
      providers: [{ id: 'corp', type: 'oidc', issuer: corp.issuer, ...UPSTREAM_CLIENT }],
      applications: [anApplication({ code: 'federated', name: 'Federated', providers: ['corp'] })],
    });
    await signInAtCorp(server, { app: 'federated' });
    corp.person = { sub: 'u-1', preferred_username: 'from-corp' };
    const { visitor } = await signInAtCorp(server, { app: 'federated' });
    return { 'secret at the provider': UPSTREAM_CLIENT.client_secret, ...Object.fromEntries(visitor.cookies) };
  } finally {
    await corp.close();
  }
}

async function notAdmitted(server: TestServer): Promise<Record<string, string>> {
  const staff = anApplication({ code: 'staff', name: 'Staff', access: { groups: ['staff'] } });
  await server.provision({ applications: [staff] });
  const visitor = new Visitor(server.base);
  const seen = await logIn(visitor, await visitor.follow(authorizationUrl(server, {}, 'staff')));
  assert.match(seen.url, /\/login\/no-access/);
  return {};
}

async function approvals(server: TestServer): Promise<Record<string, string>> {
  await server.provision({ applications: [anApplication({ code: 'calls', name: 'Calls', clients: [aDesk()] })] });
  const visitor = new Visitor(server.base);
  const secrets: Record<string, string> = { 'approval code': 'pelican 42', 'text of a client': 'Word 4711' };
  for (const action of ['allow', 'deny'] as const) {
    const message = { binding_message: 'Word 4711' };
    secrets[`auth_req_id to ${action}`] = (await aWaitingRequest(server, message, AS_DESK, 'calls')).auth_req_id;
    await decideRequest(server, action, visitor);
  }
  const page = await theApprovals(server, visitor);
  const set = await visitor.send(formWith(page, 'approval_code'), { approval_code: 'pelican 42', action: 'set_code' });
  await press(visitor, set, 'remove_code');
  return secrets;
}

async function devices(server: TestServer): Promise<Record<string, string>> {
  await server.provision({ applications: [anApplication({ code: 'screens', name: 'Screens', clients: [aTv()] })] });
  const [allowed, denied] = [
    await aWaitingDevice(server, {}, {}, 'screens'),
    await aWaitingDevice(server, {}, {}, 'screens'),
  ];
  await decide(server, allowed.user_code, 'allow');
  await decide(server, denied.user_code, 'deny');
  return { 'device code': allowed.device_code, 'user code': allowed.user_code };
}

async function secondFactor(server: TestServer, clock: FixedClock): Promise<Record<string, string>> {
  const visitor = new Visitor(server.base);
  const enrolment = await logIn(visitor, await visitor.follow(`${server.base}/account/security/totp`));
  const key = /id="totp-key">([A-Z2-7 ]+)</.exec(enrolment.text)?.[1] ?? '';
  const shown = await visitor.send(formWith(enrolment, 'code'), { code: anAuthenticator(clock, key).code() });
  const [, code = ''] = /class="recovery-code">([^<]+)</.exec(shown.text) ?? [];
  await useRecoveryCode(server, code);
  const token = await trustBrowser(server, anAuthenticator(clock, key).code(1));
  const trusting = await visitor.follow(`${server.base}/account/security`);
  const security = await visitor.send(formWith(trusting, 'browser'), { action: 'distrust_browser' });
  await visitor.send(formWith(security, 'action" value="remove_totp'), { action: 'remove_totp' });
  return { 'key of the authenticator': key, 'recovery code': code, 'token of a trusted browser': token };
}

async function trustBrowser(server: TestServer, code: string): Promise<string> {
  await server.provision({
    applications: [anApplication({ code: 'trusting', name: 'Trusting', trusted_browsers: true })],
  });
  const visitor = new Visitor(server.base);
  const asked = await logIn(visitor, await visitor.follow(authorizationUrl(server, {}, 'trusting')));
  await visitor.send(formWith(asked, 'code'), { code, trust: 'true' });
  return visitor.cookies.get('gatehouse_trusted_browser') ?? '';
}

async function useRecoveryCode(server: TestServer, code: string): Promise<Seen> {
  const visitor = new Visitor(server.base);
  const asked = await logIn(visitor, await visitor.follow(authorizationUrl(server)));
  const link = /href="([^"]*\/login\/recovery[^"]*)"/.exec(asked.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
  const page = await visitor.follow(new URL(link, server.base).href);
  return visitor.send(formWith(page, 'code'), { code });
}

/** The address changes, the change is undone, and the owner comes back by the link to a new password. */
async function otherAddress(server: TestServer, clock: FixedClock): Promise<Record<string, string>> {
  const visitor = new Visitor(server.base);
  const change = async (email: string | undefined) => {
    const page = await visitor.follow(`${server.base}/account/email`);
    const verify = email === undefined;
    const form = formWith(page, verify ? 'action" value="verify' : 'email');
    const asked = await visitor.send(form, verify ? { action: 'verify' } : { email });
    const code = await newestIn(server, /^[0-9A-Z]{8}$/m);
    await visitor.send(formWith(asked, 'code'), { code });
    return code;
  };
  // Only an address that was held for 7 days gets the link.
  clock.advance(7 * 86_400);
  await logIn(visitor, await visitor.follow(`${server.base}/account/email`));
  const { sub = '' } = (await server.services.store.findAccount('alice')) ?? {};
  const unverified = { kind: 'user', sub, profile: { emailVerified: false }, now: clock.now() } as const;
  await server.services.store.provision([unverified]);
  await change(undefined);
  const code = await change('other@example.com');
  const undo = await newestIn(server, /^http.*\/undo-email.*$/m);
  const owner = new Visitor(server.base);
  await owner.send(formWith(await owner.go(undo), 'token'));
  const reset = await newestIn(server, /^http.*\/reset-password.*$/m);
  await owner.send(formWith(await owner.go(reset), 'password'), { password: PASSWORD });
  const tokenOf = (link: string) => new URL(link).searchParams.get('token') ?? '';
  return { 'code of a mail': code, 'link that undoes': tokenOf(undo), 'link after that': tokenOf(reset) };
}

/** What the newest mail with such a line says. */
async function newestIn(server: TestServer, line: RegExp): Promise<string> {
  const sender = createMailSender(server.services);
  await sender.run();
  await sender.run();
  const found = mailsIn(outboxOf(server)).flatMap(({ text }) => line.exec(text)?.[0] ?? []);
  assert(found.length > 0, `no mail has ${line}`);
  return found.at(-1) ?? '';
}

async function forgottenPassword(server: TestServer): Promise<Record<string, string>> {
  const visitor = new Visitor(server.base);
  const page = await visitor.follow(`${server.base}/forgot-password`);
  await visitor.send(formWith(page, 'username'), { username: 'alice' });
  const link = await newestIn(server, /^http.*\/reset-password.*$/m);
  return { 'link to a new password': new URL(link).searchParams.get('token') ?? '' };
}
