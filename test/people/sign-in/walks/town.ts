import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as otpauth from 'otpauth';
import { createMailSender } from '../../../../src/notify/mail/job.ts';
import { parseAnswer, verifyRegistration } from '../../../../src/people/passkey/passkeys.ts';
import { userHandleOf } from '../../../../src/people/passkey/rules.ts';
import { hashRecoveryCode, newRecoveryCodes } from '../../../../src/people/recovery-codes/codes.ts';
import { createThrottle } from '../../../../src/platform/throttle/throttle.ts';
import type { Store } from '../../../../src/store.ts';
import { type Authenticator, anAuthenticator } from '../../../build/authenticator.ts';
import { type FixedClock, fixedClock } from '../../../build/clock.ts';
import { aClient, anApplication, aUser } from '../../../build/fixture.ts';
import { limits } from '../../../build/limits.ts';
import { codeIn } from '../../../build/mail-people.ts';
import { readMail } from '../../../build/mailbox.ts';
import { aPasskey, type SoftPasskey } from '../../../build/passkey.ts';
import { startTestServer, type TestServer } from '../../../build/test-server.ts';

/** The server of the walks, its applications, the people who walk, and their mailboxes. */
export interface Town {
  readonly server: TestServer;
  readonly clock: FixedClock;
  /** The answers that the store has accepted since this list was emptied. */
  readonly accepted: Accepted[];
  /** New people for each walk, so that a walk does not depend on those before it. The last one has no account yet. */
  people(traits: readonly Traits[]): Promise<readonly Person[]>;
  /** The codes of the mails to an address, the newest last; what waits is sent before. */
  mailedCodes(email: string): Promise<readonly string[]>;
  withdrawTrust(person: Person): Promise<void>;
  /** As an operator does. */
  demandNewPassword(person: Person): Promise<void>;
  close(): Promise<void>;
}

/** Each can be spent or added once, and the store says to whom it belongs. */
export interface Accepted {
  readonly kind: 'totp' | 'recovery' | 'passkey' | 'totp added' | 'password changed';
  readonly sub: string;
}

/** What a person has, and what is demanded of this person, when the walk begins. */
export interface Traits {
  readonly hasTotp: boolean;
  readonly hasPasskey: boolean;
  readonly isVerified: boolean;
  readonly mustChangePassword: boolean;
  readonly mustHaveSecondFactor: boolean;
}

/** What the test knows of a person, without asking the server. */
export interface Person {
  readonly username: string;
  readonly email: string;
  /** Undefined: there is no account yet. */
  sub: string | undefined;
  password: string;
  totp: Authenticator | undefined;
  readonly usedCodes: Set<string>;
  readonly recoveryCodes: string[];
  readonly passkey: SoftPasskey | undefined;
  isVerified: boolean;
  mustChangePassword: boolean;
  readonly mustHaveSecondFactor: boolean;
}

/** `shop` asks those who have a second factor for it, `open` nobody, `bank` everybody. */
export const APPS = [
  { code: 'shop', name: 'Shop', mfa: 'optional', trusted_browsers: true, sign_up: true },
  { code: 'open', name: 'Open', mfa: 'off' },
  { code: 'bank', name: 'Bank', mfa: 'required', trusted_browsers: true },
  { code: 'vault', name: 'Vault', mfa: 'required', require_verified_email: true, sign_up: true },
  { code: 'post', name: 'Post', mfa: 'optional', trusted_browsers: true, require_verified_email: true },
  { code: 'plain', name: 'Plain', mfa: 'optional', passkeys: false, require_consent: true },
] as const;

export interface AppPolicy {
  readonly code: string;
  readonly mfa: 'off' | 'optional' | 'required';
  readonly trusted_browsers?: boolean;
  readonly require_verified_email?: boolean;
  readonly passkeys?: boolean;
  readonly require_consent?: boolean;
}

const FIRST_PASSWORD = 'a password to begin with';

export async function openTown(): Promise<Town> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-walks-'));
  const clock = fixedClock();
  const accepted: Accepted[] = [];
  const server = await startTestServer({
    clock,
    hostname: 'localhost',
    env: { MAIL_URL: `file:${folder}` },
    // Walks type more wrong passwords in an hour than a person would.
    throttle: () => createThrottle(clock, limits({})),
    wrapStore: store => observed(store, accepted),
    applications: APPS.map(app => {
      const { require_consent, ...rest } = { require_consent: false, ...app };
      return anApplication({ ...rest, clients: [aClient({ require_consent })] });
    }),
    users: [],
  });
  const passwordHash = await server.services.passwords.hash(FIRST_PASSWORD);
  const mailed = new Map<string, string[]>();
  let count = 0;
  return {
    server,
    clock,
    accepted,
    async people(traits) {
      const walk = ++count;
      const people = traits.map((each, index) => aPerson(clock, `walker${walk}x${index}`, each));
      await provision(server, people, passwordHash);
      return [...people, aPerson(clock, `newcomer${walk}`, NOTHING)];
    },
    async mailedCodes(email) {
      const sender = createMailSender(server.services);
      for (let runs = 0; runs < 2; runs++) await sender.run();
      takeMails(folder, mailed);
      return mailed.get(email) ?? [];
    },
    async withdrawTrust({ sub }) {
      const { store } = server.services;
      if (sub === undefined) return;
      for (const { id } of await store.trustedBrowsersOf(sub, clock.now())) await store.distrustBrowser(sub, id);
    },
    async demandNewPassword({ sub }) {
      const demand = { kind: 'user', requirePasswordChange: true, now: clock.now() } as const;
      if (sub !== undefined) await server.services.store.provision([{ ...demand, sub }]);
    },
    async close() {
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function observed(store: Store, accepted: Accepted[]): Store {
  const note = (holds: boolean, kind: Accepted['kind'], sub: string) => {
    if (holds) accepted.push({ kind, sub });
  };
  return {
    ...store,
    async acceptTotpStep(sub, ...rest) {
      const isAccepted = await store.acceptTotpStep(sub, ...rest);
      note(isAccepted, 'totp', sub);
      return isAccepted;
    },
    async spendRecoveryCode(sub, ...rest) {
      const left = await store.spendRecoveryCode(sub, ...rest);
      note(left !== undefined, 'recovery', sub);
      return left;
    },
    async usePasskey(use, ...rest) {
      const outcome = await store.usePasskey(use, ...rest);
      note(outcome === 'used', 'passkey', use.sub);
      return outcome;
    },
    async addTotp(sub, ...rest) {
      const added = await store.addTotp(sub, ...rest);
      note(added !== undefined, 'totp added', sub);
      return added;
    },
    async replacePassword(sub, ...rest) {
      const isReplaced = await store.replacePassword(sub, ...rest);
      note(isReplaced, 'password changed', sub);
      return isReplaced;
    },
  };
}

const NOTHING: Traits = {
  hasTotp: false,
  hasPasskey: false,
  isVerified: false,
  mustChangePassword: false,
  mustHaveSecondFactor: false,
};

function aPerson(clock: FixedClock, username: string, traits: Traits): Person {
  const { hasTotp, hasPasskey, isVerified, mustChangePassword, mustHaveSecondFactor } = traits;
  return {
    username,
    email: `${username}@example.com`,
    sub: undefined,
    password: FIRST_PASSWORD,
    totp: hasTotp ? anAuthenticator(clock, new otpauth.Secret().base32) : undefined,
    usedCodes: new Set(),
    recoveryCodes: [],
    passkey: hasPasskey ? aPasskey() : undefined,
    isVerified,
    mustChangePassword,
    mustHaveSecondFactor,
  };
}

async function provision(server: TestServer, people: readonly Person[], password_hash: string): Promise<void> {
  const users = people.map(({ username, email, totp, isVerified, mustChangePassword, mustHaveSecondFactor }) => {
    const { password: _, ...user } = aUser({ username, email, phone_number: null, email_verified: isVerified });
    const demanded = { require_password_change: mustChangePassword, require_mfa: mustHaveSecondFactor };
    return { ...user, ...demanded, password_hash, ...(totp ? { totp_secret: totp.secret } : {}) };
  });
  await server.provision({ users });
  const { services } = server;
  for (const person of people) {
    person.sub =
      (await services.store.findAccount(person.username))?.sub ?? assert.fail('the user was not provisioned');
    if (person.passkey) await register(server, person.sub, person.passkey);
    if (!person.totp && !person.passkey) continue;
    person.recoveryCodes.push(...newRecoveryCodes(services.random));
    const hashes = person.recoveryCodes.map(code => hashRecoveryCode(person.sub ?? '', code));
    assert(await services.store.replaceRecoveryCodes(person.sub, hashes, services.clock.now()));
  }
}

/** As the account pages do after a fresh proof. */
async function register({ base, services }: TestServer, sub: string, passkey: SoftPasskey): Promise<void> {
  const challenge = `registration of ${sub}`;
  const party = { id: 'localhost', origin: base };
  const made = passkey.register({ ...party, challenge: b64(challenge), rp: party, user: { id: userHandleOf(sub) } });
  const answer = parseAnswer(made) ?? assert.fail('no answer of an authenticator');
  const expected = { party, challenge: b64(challenge), requiresUserVerification: false };
  const { isUserVerified: _, ...key } =
    (await verifyRegistration(expected, answer)) ?? assert.fail('the passkey was not verified');
  const spent = { challenge, challengeExpiresAt: services.clock.now() + 600 };
  const added = { ...key, ...spent, name: 'Laptop', limit: 5, recoveryHashes: [] };
  assert.equal((await services.store.addPasskey(sub, added, services.clock.now())).kind, 'added');
}

const b64 = (text: string) => Buffer.from(text).toString('base64url');

/** Reads the mails that came, the oldest first, and empties the folder. */
function takeMails(folder: string, mailed: Map<string, string[]>): void {
  const names = readdirSync(folder).filter(name => name.endsWith('.eml'));
  for (const name of names.sort()) {
    const mail = readMail(readFileSync(join(folder, name), 'utf8'));
    rmSync(join(folder, name));
    const to = mail.headers.get('to') ?? '';
    if (/^[0-9A-Z]{8}$/m.test(mail.text)) mailed.set(to, [...(mailed.get(to) ?? []), codeIn(mail)]);
  }
}
