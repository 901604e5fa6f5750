import { type Answer, header, type Request, redirect } from '../message.ts';
import { chooseLocale, type Locale } from '../pages/locale.ts';
import { type Pending, type Purpose, RESUME } from '../pending-request.ts';
import { issuerOf } from '../protocol/client.ts';
import { failure } from '../protocol/errors.ts';
import { encodeParams, type Params, parseParams } from '../protocol/params.ts';
import type { Services } from '../services.ts';

/** What every page between a request and its answer does: open what is pending, speak the right language, go back. */
export const EXPIRED: Answer = { failure: failure('pendingRequestExpired') };

export interface OpenedPage {
  readonly sealed: string;
  readonly pending: Pending;
  /** Sealed by us after every check of the endpoint it came from: its values can be trusted. */
  readonly asked: Params;
  readonly locale: Locale;
}

export function openPage(
  services: Services,
  request: Request,
  sealed: string | undefined,
  ...purposes: Purpose[]
): OpenedPage | undefined {
  const pending = services.pending.open(request, sealed, ...purposes);
  if (sealed === undefined || pending === undefined) return undefined;
  const asked = parseParams(pending.request);
  return { sealed, pending, asked, locale: chooseLocale(asked.get('ui_locales'), header(request, 'accept-language')) };
}

/** Back to where the browser was going: the authorization endpoint, which alone answers the client, or the account page. */
export function resume({ config }: Services, { app }: Pending, sealed: string, cookies: string[] = []): Answer {
  const address =
    app === undefined
      ? `${config.baseUrl}/account`
      : `${issuerOf(config.baseUrl, app)}/auth?${encodeParams([[RESUME, sealed]])}`;
  return redirect(address, 303, cookies);
}
