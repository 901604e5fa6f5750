import { hash } from 'node:crypto';
import type { Application } from '../../directory/applications/rules.ts';
import type { Services } from '../../services.ts';

/**
 * The part of a spread application in which a new token family is stored (GATEHOUSE_CITUS_SPREAD). Its credentials name the part, and
 * those that they are exchanged for take it over. Undefined: the application is not spread.
 *
 * `owner`: families with the same owner are in one part. That is the user, or the grant where a client acts for itself: one client may
 * issue more tokens than fit in a part.
 */
export function partOfNewFamily({ config }: Services, { code }: Application, owner: string): number | undefined {
  const parts = config.spread.get(code);
  return parts === undefined ? undefined : hash('sha256', owner, 'buffer').readUInt32BE() % parts;
}
