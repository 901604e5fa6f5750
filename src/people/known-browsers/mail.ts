import { type Content, contentOf, paragraph } from '../../notify/mail/content.ts';
import type { Locale } from '../../platform/ui/locale.rules.ts';
import { timeText } from '../../platform/ui/time-text.ts';
import { newBrowserMailText } from './text.ts';

/** The mail about a sign-in with a browser that the user had not signed in with before. */
interface NewBrowserMail {
  readonly locale: Locale;
  readonly username: string;
  /** BASE_URL: every link begins with it. */
  readonly baseUrl: string;
  /** What the browser says of itself, such as `Firefox · Windows`; undefined: nothing that is known. */
  readonly browser: string | undefined;
  readonly address: string;
  readonly time: number;
}

export function newBrowserMail({ locale, username, baseUrl, browser, address, time }: NewBrowserMail): Content {
  const text = newBrowserMailText[locale];
  const site = new URL(baseUrl).host;
  return contentOf(locale, text.subject(site), [
    paragraph(text.hello(username)),
    paragraph(text.intro(site)),
    paragraph(text.browser(browser ?? text.unknown)),
    paragraph(text.address(address)),
    paragraph(text.time(timeText(locale, new Date(time * 1000)))),
    paragraph(text.fine),
    paragraph(text.otherwise),
    { kind: 'link', href: `${baseUrl}/forgot-password`, label: text.label },
  ]);
}
