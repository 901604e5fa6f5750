import { z } from 'zod';
import { linkFault, logoFault, MAX_LINK_LENGTH, MAX_LOGO_BYTES } from '../protocol/branding.ts';

/** Null clears a field. */
const orNull = (value: z.ZodType<string, string>, description: string) =>
  value
    .nullable()
    .transform(given => given ?? undefined)
    .optional()
    .meta({ description });

const checkedBy = (faultOf: (text: string) => string | undefined) =>
  z.string().superRefine((text, context) => {
    const fault = faultOf(text);
    if (fault !== undefined) context.addIssue(fault);
  });

const link = (subject: string) =>
  orNull(
    checkedBy(linkFault),
    `${subject}: an https address of at most ${MAX_LINK_LENGTH} characters that the sign-in pages link to.`,
  );

/** The logo, colour and links of an application (protocol/branding.ts). */
export const brandingFields = {
  logo_uri: orNull(
    checkedBy(logoFault),
    `The logo on the sign-in pages, as a data: URI: PNG, JPEG, WebP or SVG in base64, at most ${MAX_LOGO_BYTES / 1024} KiB. Not an address: the pages load nothing from another server.`,
  ),
  accent_color: orNull(
    z
      .string()
      .regex(/^#[0-9A-Fa-f]{6}$/, 'must be # and six hexadecimal digits, such as #1f5fbf')
      .toLowerCase(),
    'The colour of buttons on the sign-in pages, #rrggbb. Pages darken or lighten it until text is legible (WCAG AA).',
  ),
  help_uri: link('Help'),
  policy_uri: link('The privacy policy'),
  tos_uri: link('The terms of service'),
};
