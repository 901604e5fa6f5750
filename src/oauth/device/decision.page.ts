import { failure } from '../../failures.ts';
import { aboutClient } from '../../people/consent/about-client.html.ts';
import { scopeTexts } from '../../people/consent/scope-text.ts';
import { selfRegisteredWarning } from '../../people/consent/self-registered.html.ts';
import { namesOf } from '../../people/sign-in/visit.ts';
import { brandOf } from '../../platform/ui/brand.ts';
import { type DecisionVisit, decisionPage } from '../polled-grant/decision.page.ts';
import { outcomePage, questionPage } from './html.ts';
import { shownUserCode } from './rules.ts';
import type { DeviceAuthorization } from './store.ts';

/** The second half of /device: the person has typed a code that a device waits with, and signs in to decide about it. */
export const { resume: resumeDevice, decide: decideDevice } = decisionPage<DeviceAuthorization>({
  keyOf: ({ device }) => device?.userCode,
  find: ({ services: { store, ring, clock }, key }) => store.findDevice(ring.userCodeHashes(key), clock.now()),
  decide: ({ services: { store, ring, clock }, key }, _, decision) =>
    store.decideDevice(ring.userCodeHashes(key), decision, clock.now()),

  async ask({ services, signIn, locale, target, key }, { agreed, details, shown, session }, device) {
    return questionPage({
      locale,
      brand: brandOf(services.config.baseUrl, target.application),
      client: target.client.client_name,
      userCode: shownUserCode(key),
      address: device.address,
      requestedAt: device.createdAt,
      scope: scopeTexts(locale, target.application, agreed),
      details,
      shown,
      user: session.user,
      pending: signIn.sealed,
      clientWarning: selfRegisteredWarning(locale, target.client),
      about: await aboutClient(services, locale, target.client),
    });
  },
  outcome({ services, locale, target }, kind) {
    const brand = brandOf(services.config.baseUrl, target.application);
    return outcomePage({ locale, brand, client: target.client.client_name }, kind);
  },
  gone: (visit: DecisionVisit) => ({ failure: failure('userCodeInvalid'), ...namesOf(visit) }),
  note: (log, decision, fields) =>
    decision === 'approved' ? log.info('device.approved', fields) : log.info('device.denied', fields),
  events: { approved: 'device.approved', denied: 'device.denied' },
  about: ({ address }) => ({ device: address }),
});
