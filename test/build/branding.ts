import type { ApplicationInput } from './fixture.ts';

/** The look that an application gives its pages, in the fields of the apply file. */

export const dataUri = (type: string, bytes: string | Buffer) =>
  `data:${type};base64,${Buffer.from(bytes).toString('base64')}`;

/** One pixel. */
export const PNG =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Its script marks the page that it runs in. */
export const SVG_WITH_SCRIPT = dataUri(
  'image/svg+xml',
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 160 40" onload="document.documentElement.dataset.ran = 1">
<script>document.documentElement.dataset.ran = 1</script><rect width="160" height="40" rx="8" fill="#e8a33d"/></svg>`,
);

export const BRANDING = {
  logo_uri: PNG,
  accent_color: '#ffd400',
  help_uri: 'https://shop.example/help',
  policy_uri: 'https://shop.example/privacy?lang=en#you',
  tos_uri: 'http://127.0.0.1:8080/terms',
} satisfies Partial<ApplicationInput>;

/** A PNG of this many bytes. */
export function pngOf(bytes: number): string {
  const image = Buffer.alloc(bytes);
  Buffer.from('89504e470d0a1a0a', 'hex').copy(image);
  return dataUri('image/png', image);
}
