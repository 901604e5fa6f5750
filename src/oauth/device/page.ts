import { failure } from '../../failures.ts';
import { currentSession } from '../../people/sessions/sessions.ts';
import { beginSignIn, DEVICE_PATH, RESUME, resume } from '../../people/sign-in/progress.ts';
import { type Answer, header, NOTHING, type Refusal, type Request } from '../../platform/http/message.ts';
import type { Params } from '../../platform/http/params.rules.ts';
import { chooseLocale, type Locale } from '../../platform/ui/locale.rules.ts';
import { refuseForeignForm } from '../../platform/ui/own-form.ts';
import type { Handler, Services } from '../../services.ts';
import { requestOf } from '../polled-grant/decision.page.ts';
import { decideDevice, resumeDevice } from './decision.page.ts';
import { type CodeFault, enterCodePage } from './html.ts';
import { shownUserCode, typedUserCode } from './rules.ts';
import type { DeviceAuthorization } from './store.ts';
import { countUserCode } from './user-code-attempt.ts';

/**
 * /device (RFC 8628 section 3.3): a person types the code that a device shows, signs in as for the application of the device, and
 * approves or denies it (decision.page.ts).
 *
 *   GET /device?user_code=… ─▶ the form, filled in: an address alone does nothing (section 5.4)
 *   POST /device ─▶ the code is looked up ─▶ sign-in pages ─▶ GET /device?gatehouse_pending=… ─▶ the question ─▶ POST /device
 */
export const showDevice: Handler = async (services, request) => {
  const params = request.queryParams;
  const sealed = params.get(RESUME);
  // It may tell the device that the person has no access, which HEAD must not do (RFC 9110 section 9.3.2).
  if (sealed !== undefined) return request.method === 'HEAD' ? NOTHING : resumeDevice(services, request, sealed);
  const code = typedUserCode(params.get('user_code') ?? '');
  return enterCodePage({ locale: localeOf(request), code: code === undefined ? '' : shownUserCode(code) });
};

export const submitDevice: Handler = async (services, request) => {
  const foreign = refuseForeignForm(services.config.baseUrl, request);
  if (foreign) return foreign;
  const form = request.form;
  return form.get('pending') === undefined ? enterCode(services, request, form) : decideDevice(services, request, form);
};

async function enterCode(services: Services, request: Request, form: Params): Promise<Answer> {
  const typed = form.get('user_code');
  if (typed === undefined) return refuseCode(request, '', { kind: 'missing' });
  // What cannot be a code tells nothing about those that exist, so it is no guess.
  const userCode = typedUserCode(typed);
  if (userCode === undefined) return refuseCode(request, typed, { kind: 'wrong' });
  const session = await currentSession(services, request);
  const counted = await countUserCode(services, request.address, session?.user.sub);
  if (counted.kind === 'refused') return refuseCode(request, typed, { kind: 'throttled', retryAfter: counted.wait });
  const { store, ring, clock } = services;
  const found = await store.findDevice(ring.userCodeHashes(userCode), clock.now());
  if (found?.state !== 'pending') return refuseCode(request, typed, { kind: 'wrong' });
  await counted.succeeded();
  return signInFor(services, request, userCode, found);
}

/** The usual sign-in, with the demands of the application and the client; this page takes the place of the redirect address. */
function signInFor(services: Services, request: Request, userCode: string, found: DeviceAuthorization): Answer {
  const { baseUrl } = services.config;
  const authorization = {
    app: found.app,
    request: requestOf(`${baseUrl}${DEVICE_PATH}`, found),
    requiredSub: undefined,
    device: { userCode },
  };
  const begun = beginSignIn(services, request, authorization);
  return resume(baseUrl, { sealed: begun.sealed, progress: { authorization } }, begun.cookies);
}

function refuseCode(request: Request, typed: string, fault: CodeFault): Answer {
  const page = enterCodePage({ locale: localeOf(request), code: typed.slice(0, MAX_SHOWN_LENGTH), fault });
  return { ...page, refusal: refusalOf(fault) };
}

const MAX_SHOWN_LENGTH = 32;

function refusalOf(fault: CodeFault): Refusal {
  if (fault.kind === 'throttled') return { failure: failure('tooManyUserCodes'), retryAfter: fault.retryAfter };
  return { failure: fault.kind === 'missing' ? failure('parameterMissing', 'user_code') : failure('userCodeInvalid') };
}

function localeOf(request: Request): Locale {
  return chooseLocale(undefined, header(request, 'accept-language'));
}
