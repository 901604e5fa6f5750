import type { Config } from '../config.ts';
import { header, type Request } from '../message.ts';

/**
 * Did a page of ours send this form? Browsers say so in headers that no page can forge. Where they send neither, the
 * sealed request and the cookie it is bound to still stand in the way of another site.
 */
export function sentFromOurPage(config: Config, request: Request): boolean {
  const site = header(request, 'sec-fetch-site');
  if (site !== undefined) return site === 'same-origin';
  const origin = header(request, 'origin');
  return origin === undefined || origin === config.baseUrl;
}
