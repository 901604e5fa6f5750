import { sql } from '../../platform/store/sql.ts';
import { rowsOf, type Steps } from '../../platform/store/steps.ts';
import type { LinkKey } from './rules.ts';

/** What the user wants to be without: a link, or the credential with this id. */
type Removed =
  | { readonly link: LinkKey; readonly credential?: undefined }
  | { readonly credential: string; readonly link?: undefined };

/**
 * Whether the user signs in by something else: a password, a passkey, or a link to a provider that is still registered. The transaction has
 * locked the row of the user, so that of two removals at once one finds what the other has left.
 */
export function* hasOtherWay(sub: string, { link, credential = '' }: Removed): Steps<boolean> {
  const { provider = '', subject = '' } = link ?? {};
  const [row] = yield* rowsOf(sql`SELECT
      EXISTS (SELECT 1 FROM credentials WHERE sub = ${sub} AND kind IN ('password', 'passkey') AND id <> ${credential})
      OR EXISTS (SELECT 1 FROM user_links l JOIN providers p ON p.id = l.provider
        WHERE l.sub = ${sub} AND NOT (l.provider = ${provider} AND l.subject = ${subject})) AS found`);
  return Boolean(row?.found);
}
