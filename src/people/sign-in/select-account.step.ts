import { brandOf } from '../../platform/ui/brand.ts';
import { password } from './login.step.ts';
import { selectAccountPage } from './select-account.html.ts';
import { goOn } from './session.ts';
import { type StepPage, sessionOf } from './visit.ts';

/** `prompt=select_account` while a user is signed in: continue as this user, or with another account (OIDC Core 3.1.2.1)? */
export const selectAccount: StepPage = {
  actions: ['continue', 'another'],
  show: async (visit, session) => {
    const { services, target, signIn, locale } = visit;
    if (!session || !target) return password.show(visit, session);
    return selectAccountPage({
      locale,
      brand: brandOf(services.config.baseUrl, target.application),
      pending: signIn.sealed,
      username: session.user.username,
      redirectUri: target.request.redirectUri,
    });
  },
  submit: async (visit, form) => {
    if (form.get('action') === 'another') return goOn(visit, { selected: 'another' });
    const session = await sessionOf(visit);
    return goOn(visit, { selected: session && { sub: session.user.sub } });
  },
};
