import { token } from '../../../build/client.ts';
import { PASSWORD } from '../../../build/fixture.ts';
import { authorizationUrl, formWith, signIn, Visitor } from '../../../build/visitor.ts';
import { type Case, HUSH, type World } from './world.ts';

const AT_CLUB = { client_id: 'member' };

async function signUpForm({ server }: World) {
  const visitor = new Visitor(server.base);
  const login = await visitor.follow(authorizationUrl(server, AT_CLUB, 'club'));
  const [, link = ''] = /<a href="(\/signup[^"]+)">/.exec(login.text) ?? [];
  return { visitor, form: formWith(await visitor.go(server.base + link), 'email') };
}

/** What sign-up, e-mail addresses and demanded passwords refuse. */
export const accountCases: readonly Case[] = [
  {
    row: 'signUpNotAllowed',
    name: 'a sign-up for an application that does not allow it',
    refuse: async ({ server }) => {
      const visitor = new Visitor(server.base);
      const login = await visitor.follow(authorizationUrl(server));
      const pending = formWith(login, 'password').fields.get('pending') ?? '';
      return visitor.go(`${server.base}/signup?pending=${pending}`);
    },
    client: 'web',
    kinds: ['sign-up-off'],
    failed: 'sign-in opened',
  },
  {
    row: 'parameterInvalid',
    name: 'a sign-up with no address',
    refuse: async world => {
      const { visitor, form } = await signUpForm(world);
      return visitor.send(form, { email: HUSH, password: HUSH });
    },
    app: 'club',
    client: 'member',
    expected: /email: an e-mail address/,
    kinds: ['value'],
    failed: 'form complete',
  },
  {
    row: 'codeWrong',
    name: 'a wrong code of a mail',
    refuse: async world => {
      const { visitor, form } = await signUpForm(world);
      const page = await visitor.send(form, { email: 'new@example.com', password: 'a passphrase of somebody' });
      return visitor.send(formWith(page, 'code'), { code: HUSH });
    },
    app: 'club',
    client: 'member',
    expected: /the code of the newest mail/,
    kinds: ['wrong-code'],
    failed: 'code checked',
  },
  {
    row: 'mailLinkInvalid',
    name: 'a link that confirms an address and was never sent',
    refuse: ({ server }) => new Visitor(server.base).go(`${server.base}/confirm-email?token=gec_${'x'.repeat(22)}`),
    app: null,
    received: /e-mail confirmation token of 26 characters \(not kept\)/,
    kinds: ['used-or-expired'],
    failed: 'sign-in opened',
  },
  {
    row: 'mailLinkInvalid',
    name: 'a link that undoes a change and was never sent',
    refuse: ({ server }) => new Visitor(server.base).go(`${server.base}/undo-email?token=geu_${'x'.repeat(22)}`),
    app: null,
    received: /e-mail undo token of 26 characters \(not kept\)/,
    kinds: ['used-or-expired'],
    failed: 'sign-in opened',
  },
  {
    row: 'emailNotVerifiable',
    name: 'a verified address is demanded where no mail can be sent',
    refuse: async ({ server, services }) => {
      const { config } = services as { config: { mail: unknown } };
      const { mail } = config;
      config.mail = undefined;
      try {
        return await signIn(server, AT_CLUB, { username: 'ursula', app: 'club' });
      } finally {
        config.mail = mail;
      }
    },
    app: 'club',
    client: 'member',
    kinds: ['no-mail'],
    failed: 'sign-in opened',
  },
  {
    row: 'loginRequired',
    name: 'prompt=none where a verified address is missing',
    refuse: async ({ server }) => {
      const visitor = new Visitor(server.base);
      await signIn(server, {}, { visitor, username: 'ursula' });
      return visitor.go(authorizationUrl(server, { ...AT_CLUB, prompt: 'none' }, 'club'));
    },
    app: 'club',
    client: 'member',
    received: /e-mail address is not verified/,
    kinds: ['unverified-email'],
    failed: 'user signed in',
  },
  {
    row: 'emailUnverified',
    name: 'the password grant of a user whose address is not verified',
    refuse: ({ server }) =>
      token(
        server,
        { grant_type: 'password', username: 'ursula', password: PASSWORD },
        { auth: `Basic ${btoa('member:web-secret-1')}` },
        'club',
      ),
    app: 'club',
    client: 'member',
    kinds: ['unverified-email'],
    failed: 'grant checked',
  },
  {
    row: 'passwordChangeNeeded',
    name: 'the password grant of a user who has to set a new password',
    refuse: ({ server }) => token(server, { grant_type: 'password', username: 'petra', password: PASSWORD }),
    client: 'web',
    kinds: ['new-password'],
    failed: 'grant checked',
  },
];
