import { Html, html } from '../../platform/ui/html.ts';

/**
 * The icons of the console: shapes of a grid of 16 units, drawn with lines in the colour of the text beside them. They say nothing that
 * the text does not, so readers who do not see them hear nothing. In the page itself: no request, and no exception from its policy.
 */
const shapes = {
  home: '<path d="M2.5 7.5 8 3l5.5 4.5V13.5H9.5V10h-3v3.5h-4z"/>',
  applications:
    '<rect x="2.5" y="2.5" width="4.5" height="4.5" rx="1"/><rect x="9" y="2.5" width="4.5" height="4.5" rx="1"/><rect x="2.5" y="9" width="4.5" height="4.5" rx="1"/><rect x="9" y="9" width="4.5" height="4.5" rx="1"/>',
  client: '<path d="M6.5 9.5a3 3 0 1 1 1.8 1.1L7 12H5.5v1.5H2.5V11l3.7-3.7"/><path d="M10.8 5.2h.01"/>',
  users: '<circle cx="8" cy="5.2" r="2.7"/><path d="M2.8 13.5c.5-3 2.5-4.3 5.2-4.3s4.7 1.3 5.2 4.3"/>',
  groups:
    '<circle cx="5.7" cy="6" r="2.2"/><path d="M1.8 13c.3-2.5 1.9-3.6 3.9-3.6s3.6 1.1 3.9 3.6M10.3 4a2 2 0 1 1 .8 3.8M11 9.6c1.8 0 3 1 3.3 3"/>',
  operators:
    '<path d="M8 1.8 13 3.7v4c0 3.2-2.1 5.4-5 6.5-2.9-1.1-5-3.3-5-6.5v-4z"/><path d="m5.8 7.9 1.6 1.6 2.9-3.1"/>',
  activity: '<path d="M1.5 8.2h3l2-5 3 9.8 2-4.8h3"/>',
  refusals: '<circle cx="8" cy="8" r="5.8"/><path d="m4 4 8 8"/>',
  webhooks: '<path d="M9.5 1.8 3.5 9H8l-1 5.2L12.7 7H8.2z"/>',
  status:
    '<rect x="2.2" y="2.8" width="11.6" height="4.2" rx="1"/><rect x="2.2" y="9" width="11.6" height="4.2" rx="1"/><path d="M4.8 4.9h.01M4.8 11.1h.01"/>',
  settings:
    '<path d="M2 4.5h6.5M12.5 4.5H14M2 11.5h1.5M7.5 11.5H14"/><circle cx="10.5" cy="4.5" r="2"/><circle cx="5.5" cy="11.5" r="2"/>',
  fields:
    '<rect x="2" y="2.8" width="12" height="4" rx="1"/><rect x="2" y="9.2" width="12" height="4" rx="1"/><path d="M4.3 4.8h3M4.3 11.2h5"/>',
  providers: '<path d="M6.5 2.5h7v11h-7"/><path d="M2 8h7.5M7 5.5 9.5 8 7 10.5"/>',
  keys: '<circle cx="5" cy="8" r="2.8"/><path d="M7.8 8h6.4v2.5M11.5 8v2"/>',
  mail: '<rect x="2" y="3.5" width="12" height="9" rx="1.2"/><path d="m2.5 4.5 5.5 4.3 5.5-4.3"/>',
  search: '<circle cx="7" cy="7" r="4.3"/><path d="m10.2 10.2 3.5 3.5"/>',
  menu: '<path d="M2.5 4.5h11M2.5 8h11M2.5 11.5h11"/>',
  documents:
    '<path d="M8 4c-1.3-.9-3-1.2-5.5-1v9.3c2.5-.2 4.2.1 5.5 1 1.3-.9 3-1.2 5.5-1V3C11 2.8 9.3 3.1 8 4zm0 0v9.3"/>',
  language:
    '<circle cx="8" cy="8" r="5.8"/><path d="M2.2 8h11.6M8 2.2c-3.2 3.5-3.2 8.1 0 11.6 3.2-3.5 3.2-8.1 0-11.6"/>',
  leave: '<path d="M9.5 3V2.5h-7v11h7V13M6.5 8h7.5m-2.5-2.5L14 8l-2.5 2.5"/>',
  page: '<path d="M4 1.8h5.5L12.5 5v9.2H4z"/><path d="M9.2 2v3.3h3.2"/>',
} as const;

export type IconName = keyof typeof shapes;

export function icon(name: IconName): Html {
  return html`<svg class="icon" viewBox="0 0 16 16" aria-hidden="true">${new Html(shapes[name])}</svg>`;
}
