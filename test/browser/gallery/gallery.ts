import { accountPages } from './account-pages.ts';
import { agentPages } from './agent-pages.ts';
import { devicePages } from './device-pages.ts';
import { mailPages } from './mail-pages.ts';
import { go, type Open, type Pages } from './shown.ts';
import { formPostPages, signInPages } from './sign-in-pages.ts';

/** Every page a person can meet, and how to get there: for the checks that go over all of them. */
export interface Shown {
  readonly name: string;
  /** Pages for developers are in English whatever the reader's language. */
  readonly translated: boolean;
  readonly open: Open;
}

const TOKEN = `ga_${'Zk3vQ8wLr2'.repeat(5)}`;
const JWT = ['eyJhbGciOiJFUzI1NiJ9', 'eyJpc3MiOiJodHRwOi8v'.repeat(14), 'pX7sQe'.repeat(14)].join('.');
const TOKENS = `access_token=${TOKEN}&token_type=Bearer&expires_in=3600&scope=openid%20profile&id_token=${JWT}&state=demo`;
const CODE = `code=gc_${'w7Rk2mXq9p'.repeat(5)}&state=demo&iss=http%3A%2F%2Flocalhost%3A3000%2Fdemo`;

const developerPages: Pages = {
  ...formPostPages,
  errors: go('/docs/errors'),
  error: go('/docs/errors/invalid_grant'),
  'demo-code': go(`/demo/callback?${CODE}`),
  'demo-tokens': go(`/demo/callback#${TOKENS}`),
  'demo-error': go('/demo/callback?error=access_denied&error_description=The%20user%20cancelled.&state=demo'),
  'demo-empty': go('/demo/callback'),
};

const shown = (pages: Pages, translated: boolean): Shown[] =>
  Object.entries(pages).map(([name, open]) => ({ name, translated, open }));

export const gallery: readonly Shown[] = [
  ...shown({ ...signInPages, ...mailPages, ...devicePages, ...agentPages, ...accountPages }, true),
  ...shown(developerPages, false),
];
