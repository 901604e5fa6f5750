import { z } from 'zod';
import { linkFault, logoFault, MAX_LINK_LENGTH, MAX_LOGO_BYTES } from './rules.ts';

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

const clientLink = (description: string) => checkedBy(linkFault).optional().meta({ description });

/** What a client says of itself to people (RFC 7591 section 2), and where a login at it begins (OpenID Connect Core section 4). */
export const clientLinkFields = {
  logo_uri: clientLink(
    'The address of its logo: PNG, JPEG or WebP, at most 128 KiB. The server fetches and caches it; browsers get it with the consent page.',
  ),
  client_uri: clientLink('Its website, which the consent page links to: an https address.'),
  policy_uri: clientLink('Its privacy policy, which the consent page links to: an https address.'),
  tos_uri: clientLink('Its terms of service, which the consent page links to: an https address.'),
  initiate_login_uri: checkedBy(uri => linkFault(uri) ?? (uri.includes('#') ? 'must not have a fragment' : undefined))
    .optional()
    .meta({
      description:
        'Where a login at the client begins (OpenID Connect Core section 4): pages of the server link to it, with the parameter iss.',
    }),
};

/** The logo, colour and links of an application (rules.ts). */
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
