import { texts } from '../../platform/ui/texts.ts';

/** A section of /account/security. */
export const trustedBrowsersText = texts({
  en: {
    title: 'Trusted browsers',
    intro: 'These browsers are not asked for a code.',
    unknown: 'Unknown browser',
    since: 'since',
    until: 'until',
    withdraw: 'Ask again',
    withdrawFrom: (browser: string) => `Ask again: ${browser}`,
  },
  zh: {
    title: '受信任的浏览器',
    intro: '这些浏览器登录时不要求验证码。',
    unknown: '未知浏览器',
    since: '开始于',
    until: '有效期至',
    withdraw: '重新要求',
    withdrawFrom: browser => `重新要求：${browser}`,
  },
  de: {
    title: 'Vertrauenswürdige Browser',
    intro: 'Diese Browser werden nicht nach einem Code gefragt.',
    unknown: 'Unbekannter Browser',
    since: 'seit',
    until: 'bis',
    withdraw: 'Wieder fragen',
    withdrawFrom: browser => `Wieder fragen: ${browser}`,
  },
});
