import assert from 'node:assert/strict';
import { createMailSender } from '../../src/jobs/mails.ts';
import { anAuthenticator } from '../build/authenticator.ts';
import type { FixedClock } from '../build/clock.ts';
import { mailsIn, outboxOf } from '../build/mailbox.ts';
import { logIn } from '../build/people.ts';
import type { TestServer } from '../build/test-server.ts';
import { authorizationUrl, formWith, type Seen, Visitor } from '../build/visitor.ts';

/** Every act of a person on the account pages that has an event. Returns the secrets that were seen on the way. */
export async function actAsPerson(server: TestServer, clock: FixedClock): Promise<Record<string, string>> {
  return { ...(await secondFactor(server, clock)), ...(await forgottenPassword(server)) };
}

async function secondFactor(server: TestServer, clock: FixedClock): Promise<Record<string, string>> {
  const visitor = new Visitor(server.base);
  const enrolment = await logIn(visitor, await visitor.follow(`${server.base}/account/security/totp`));
  const key = /id="totp-key">([A-Z2-7 ]+)</.exec(enrolment.text)?.[1] ?? '';
  const shown = await visitor.send(formWith(enrolment, 'code'), { code: anAuthenticator(clock, key).code() });
  const [, code = ''] = /class="recovery-code">([^<]+)</.exec(shown.text) ?? [];
  await useRecoveryCode(server, code);
  const security = await visitor.follow(`${server.base}/account/security`);
  await visitor.send(formWith(security, 'action" value="remove_totp'), { action: 'remove_totp' });
  return { 'key of the authenticator': key, 'recovery code': code };
}

async function useRecoveryCode(server: TestServer, code: string): Promise<Seen> {
  const visitor = new Visitor(server.base);
  const asked = await logIn(visitor, await visitor.follow(authorizationUrl(server)));
  const link = /href="([^"]*\/login\/recovery[^"]*)"/.exec(asked.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
  const page = await visitor.follow(new URL(link, server.base).href);
  return visitor.send(formWith(page, 'code'), { code });
}

async function forgottenPassword(server: TestServer): Promise<Record<string, string>> {
  const visitor = new Visitor(server.base);
  const page = await visitor.follow(`${server.base}/forgot-password`);
  await visitor.send(formWith(page, 'username'), { username: 'alice' });
  const sender = createMailSender(server.services);
  await sender.run();
  await sender.run();
  const links = mailsIn(outboxOf(server)).flatMap(mail => mail.links);
  const link = links.find(each => each.includes('/reset-password'));
  assert(link, 'no mail with a link');
  return { 'link to a new password': new URL(link).searchParams.get('token') ?? '' };
}
