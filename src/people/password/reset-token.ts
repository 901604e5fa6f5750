import { hash } from 'node:crypto';
import type { Random } from '../../platform/deps.ts';

/** How long the link to a new password works (docs/accounts.md). */
export const RESET_LINK_SECONDS = 1800;

/** How long the link of an invitation works. */
export const INVITATION_SECONDS = 7 * 86_400;

/** Secret scanners recognise it in a log or a repository, and the masks of this server too (audit/refusals/mask.ts). */
const PREFIX = 'gpr_';
/** Short, so that the link is one line of a mail, and more than can be guessed in half an hour. */
const TOKEN_BYTES = 16;

export function newResetToken(random: Random): string {
  return PREFIX + random.bytes(TOKEN_BYTES).toString('base64url');
}

/** What the store has of it. Without a salt, because 128 random bits cannot be guessed. */
export function resetTokenHash(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}
