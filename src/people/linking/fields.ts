import { z } from 'zod';
import { PROVIDER_ID } from '../../directory/providers/rules.ts';
import { type LinkKey, MAX_LINKS_OF_USER } from './rules.ts';

const MAX_SUBJECT_LENGTH = 255;

/** Who a person is at an identity provider: exactly what the provider calls the person (OIDC Core section 2: `sub`). */
export const subjectField = z
  .string()
  .min(1, 'must not be empty')
  .max(MAX_SUBJECT_LENGTH, `must have at most ${MAX_SUBJECT_LENGTH} characters`);

/** The links of a user in an apply file. */
export const linksSchema: z.ZodType<readonly LinkKey[]> = z
  .array(
    z.strictObject({
      provider: z.string().regex(PROVIDER_ID, 'must be the identifier of an identity provider'),
      subject: subjectField,
    }),
  )
  .max(MAX_LINKS_OF_USER, `must be at most ${MAX_LINKS_OF_USER}`)
  .superRefine((links, context) => {
    const ids = links.map(linkIdOf);
    for (const [index, id] of ids.entries()) {
      if (ids.indexOf(id) < index) {
        context.addIssue({ code: 'custom', path: [index, 'subject'], message: 'is that of another link here' });
      }
    }
  });

/** No id of a provider has a colon. */
export function linkIdOf({ provider, subject }: LinkKey): string {
  return `${provider}:${subject}`;
}

export function keyOf(id: string): LinkKey | undefined {
  const colon = id.indexOf(':');
  return colon < 1 ? undefined : { provider: id.slice(0, colon), subject: id.slice(colon + 1) };
}
