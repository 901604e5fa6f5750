import type { Profile } from '../../directory/users/claims.rules.ts';
import type { KeyRing } from '../../platform/crypto/key-ring.ts';
import { chooseLocale, type Locale } from '../../platform/ui/locale.rules.ts';
import type { Deps } from '../../services.ts';
import type { Content } from './content.ts';
import { passwordChangedMail, type Recipient } from './messages.ts';
import { deletionMail, factorMail, keptMail, linkMail } from './notice-messages.ts';
import { newMail } from './queue.ts';
import type { NewMail } from './store.ts';
import type { NamedFactor } from './text.ts';

/** What was changed in an account, for the mail that tells its user. */
export type Notice =
  | { readonly kind: 'passwordChanged' | 'accountKept' }
  | { readonly kind: 'factorAdded' | 'factorRemoved'; readonly factor: NamedFactor }
  | { readonly kind: 'linkAdded' | 'linkRemoved'; readonly provider: string }
  | { readonly kind: 'deletionScheduled'; readonly dueAt: number };

interface NoticeDeps extends Pick<Deps, 'clock' | 'random' | 'config'> {
  readonly ring: Pick<KeyRing, 'seal'>;
}

type Addressee = Pick<Profile, 'username' | 'email' | 'emailVerified' | 'standardClaims'>;

/**
 * The mail, for the transaction of the change (`Act` of the store). Undefined where the server sends no mail, or the user has no
 * verified address: another one may be somebody else's. `locale`: of the request, where the user sent it; otherwise the user's own.
 */
export function noticeTo(deps: NoticeDeps, user: Addressee, notice: Notice, locale?: Locale): NewMail | undefined {
  const addressed = recipientOf(deps, user, locale);
  if (!addressed) return undefined;
  const { recipient, to } = addressed;
  return newMail(deps, { ...contentFor(recipient, notice), name: NAMES[notice.kind], to });
}

/** The same for a mail of another folder. */
export function recipientOf(
  { config }: Pick<Deps, 'config'>,
  { email, emailVerified, username, standardClaims }: Addressee,
  locale?: Locale,
): { readonly recipient: Recipient; readonly to: string } | undefined {
  if (!config.mail || email === undefined || !emailVerified) return undefined;
  const language = locale ?? chooseLocale(standardClaims?.locale?.replace('_', '-'), undefined);
  return { recipient: { locale: language, username, baseUrl: config.baseUrl }, to: email };
}

/** For the log. */
const NAMES: Readonly<Record<Notice['kind'], string>> = {
  passwordChanged: 'password changed',
  factorAdded: 'factor added',
  factorRemoved: 'factor removed',
  linkAdded: 'identity provider added',
  linkRemoved: 'identity provider removed',
  deletionScheduled: 'account deletion',
  accountKept: 'account kept',
};

function contentFor(recipient: Recipient, notice: Notice): Content {
  switch (notice.kind) {
    case 'passwordChanged':
      return passwordChangedMail(recipient);
    case 'factorAdded':
      return factorMail(recipient, 'added', notice.factor);
    case 'factorRemoved':
      return factorMail(recipient, 'removed', notice.factor);
    case 'linkAdded':
      return linkMail(recipient, 'added', notice.provider);
    case 'linkRemoved':
      return linkMail(recipient, 'removed', notice.provider);
    case 'deletionScheduled':
      return deletionMail(recipient, notice.dueAt);
    case 'accountKept':
      return keptMail(recipient);
  }
}
