import { texts } from '../../platform/ui/texts.ts';

/** The mail about a sign-in with a new browser. */
export const newBrowserMailText = texts({
  en: {
    hello: (name: string) => `Hello ${name},`,
    subject: (site: string) => `New sign-in to your account at ${site}`,
    intro: (site: string) => `Somebody, probably you, signed in to your account at ${site} with a new browser.`,
    browser: (name: string) => `Browser: ${name}`,
    unknown: 'unknown',
    address: (address: string) => `IP address: ${address}`,
    time: (time: string) => `Time: ${time}`,
    fine: 'If this was you, you do not need to do anything.',
    otherwise: 'If this was not you, set a new password now:',
    label: 'Set a new password',
  },
  zh: {
    hello: name => `${name}，您好：`,
    subject: site => `您在 ${site} 的账户有新的登录`,
    intro: site => `有人（可能是您本人）使用新的浏览器登录了您在 ${site} 的账户。`,
    browser: name => `浏览器：${name}`,
    unknown: '未知',
    address: address => `网络地址：${address}`,
    time: time => `时间：${time}`,
    fine: '如果是您本人，则无需任何操作。',
    otherwise: '如果不是您本人，请立即设置新密码：',
    label: '设置新密码',
  },
  de: {
    hello: name => `Guten Tag ${name},`,
    subject: site => `Neue Anmeldung bei Ihrem Konto auf ${site}`,
    intro: site => `Jemand, vermutlich Sie, hat sich mit einem neuen Browser bei Ihrem Konto auf ${site} angemeldet.`,
    browser: name => `Browser: ${name}`,
    unknown: 'unbekannt',
    address: address => `Netzwerkadresse: ${address}`,
    time: time => `Zeit: ${time}`,
    fine: 'Wenn Sie das waren, müssen Sie nichts tun.',
    otherwise: 'Wenn Sie das nicht waren, legen Sie sofort ein neues Passwort fest:',
    label: 'Neues Passwort festlegen',
  },
});
