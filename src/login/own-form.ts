import type { Config } from '../config.ts';
import { header, isForm, type Refusal, type Request } from '../message.ts';
import { failure } from '../protocol/errors.ts';

/** What every form of ours checks first: that it is one, and that a page of ours sent it. */
export function refuseForeignForm(config: Config, request: Request): Refusal | undefined {
  if (!isForm(request)) return { failure: failure('contentTypeInvalid') };
  return sentFromOurPage(config, request) ? undefined : { failure: failure('formFromElsewhere') };
}

/**
 * Did a page of ours send this form? Browsers say so in headers that no page can forge. Where they send neither, the
 * sealed request and the cookie it is bound to still stand in the way of another site.
 */
function sentFromOurPage(config: Config, request: Request): boolean {
  const site = header(request, 'sec-fetch-site');
  if (site !== undefined) return site === 'same-origin';
  const origin = header(request, 'origin');
  return origin === undefined || origin === config.baseUrl;
}
