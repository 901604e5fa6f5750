import type { ConsoleContext, View } from '../../operators/console-frame/page.ts';
import { copyable, tabs } from '../../operators/console-frame/parts.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import { BUILT_IN_APPLICATION } from './built-in.rules.ts';
import { applicationFrameText, applicationsPlace } from './console.text.ts';
import { issuerOf } from './rules.ts';

/** What every page of an application has: its name, its issuer, and the tabs, which are addresses of their own. */
const SUFFIXES = {
  clients: '',
  apis: '/apis',
  signIn: '/sign-in',
  look: '/look',
  keys: '/keys',
  advanced: '/advanced',
} as const;

export type ApplicationTab = keyof typeof SUFFIXES;

const ALL = Object.keys(SUFFIXES) as ApplicationTab[];
/** The settings of the application of the operators stay as they are. */
const OF_BUILT_IN: readonly ApplicationTab[] = ['clients', 'keys'];

export function applicationPath(code: string, tab: ApplicationTab = 'clients'): string {
  return `/console/applications/${encodeURIComponent(code)}${SUFFIXES[tab]}`;
}

/** For the pages below one of the tabs. */
export function applicationCrumbs(
  { locale, params: { code = '' } }: ConsoleContext,
  name: string,
  tab?: ApplicationTab,
): NonNullable<View['crumbs']> {
  const above = [
    [applicationsPlace[locale], '/console/applications'],
    [name, applicationPath(code)],
  ] as const;
  return tab === undefined ? above : [...above, [applicationFrameText[locale].tabs[tab], applicationPath(code, tab)]];
}

interface Content {
  readonly body: Html;
  readonly actions?: Html | undefined;
  readonly status?: number;
}

export function applicationFrame(
  { locale, params: { code = '' }, services }: ConsoleContext,
  name: unknown,
  tab: ApplicationTab,
  { body, ...content }: Content,
): View {
  const text = applicationFrameText[locale];
  const shown = code === BUILT_IN_APPLICATION ? OF_BUILT_IN : ALL;
  const places = shown.map(each => ({
    name: text.tabs[each],
    path: applicationPath(code, each),
    isCurrent: each === tab,
  }));
  return {
    title: String(name),
    crumbs: [[applicationsPlace[locale], '/console/applications']],
    about: html`${text.issuer} ${copyable(locale, issuerOf(services.config.baseUrl, code))}`,
    body: html`${tabs(text.tabList, places)}
${body}`,
    ...content,
  };
}
