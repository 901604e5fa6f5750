import { header, type Request, redirect } from '../../platform/http/message.ts';
import { chooseOperatorLocale, type OperatorLocale, operatorLocales } from '../../platform/ui/locale.rules.ts';
import type { Services } from '../../services.ts';
import type { ConsolePage } from './page.ts';

/** The language of the console: as the operator chose in this browser, or else as the browser asks. */
const COOKIE = 'gatehouse_language';
const YEAR_SECONDS = 365 * 86_400;

export function consoleLocale({ cookies }: Pick<Services, 'cookies'>, request: Request): OperatorLocale {
  return knownLocale(cookies.read(request, COOKIE)) ?? chooseOperatorLocale(header(request, 'accept-language'));
}

/** /console/language: where the switch of the rail is sent to. It leads back to the page that it was used on. */
export const chooseLanguage: ConsolePage = {
  show: async ({ services }) => redirect(`${services.config.baseUrl}/console`, 303),
  submit: async ({ services: { config, cookies } }, form) => {
    const chosen = knownLocale(form.get('language'));
    const back = form.get('back') ?? '';
    const kept = chosen === undefined ? [] : [cookies.write(COOKIE, chosen, YEAR_SECONDS)];
    return redirect(`${config.baseUrl}${isOwnPage(back) ? back : '/console'}`, 303, kept);
  },
};

/** A path of the console and nothing else: what follows the address of this server must not become a part of its host. */
function isOwnPage(back: string): boolean {
  return /^\/console(?:[/?][\x21-\x5b\x5d-\x7e]*)?$/.test(back);
}

function knownLocale(name: string | undefined): OperatorLocale | undefined {
  return operatorLocales.find(each => each === name);
}
