import { texts } from '../../platform/ui/texts.ts';

/** A section of /account/security. */
export const linkingText = texts({
  en: {
    title: 'Other accounts',
    intro: 'You can sign in with these accounts too.',
    none: 'Connect an account that you have elsewhere, and sign in with it.',
    connected: 'connected on',
    used: 'last used on',
    connect: (provider: string) => `Connect ${provider}`,
    disconnect: 'Disconnect',
    disconnectFrom: (provider: string) => `Disconnect ${provider}`,
    lastWay:
      'You cannot disconnect this account: it is your only way to sign in. Set a password or create a passkey first.',
  },
  zh: {
    title: '其他账户',
    intro: '您也可以使用这些账户登录。',
    none: '关联您在其他地方的账户，即可用其登录。',
    connected: '关联时间',
    used: '上次使用',
    connect: provider => `关联 ${provider}`,
    disconnect: '取消关联',
    disconnectFrom: provider => `取消关联 ${provider}`,
    lastWay: '无法取消关联：这是您唯一的登录方式。请先设置密码或创建通行密钥。',
  },
  de: {
    title: 'Andere Konten',
    intro: 'Sie können sich auch mit diesen Konten anmelden.',
    none: 'Verbinden Sie ein Konto, das Sie anderswo haben, und melden Sie sich damit an.',
    connected: 'verbunden am',
    used: 'zuletzt verwendet am',
    connect: provider => `${provider} verbinden`,
    disconnect: 'Trennen',
    disconnectFrom: provider => `${provider} trennen`,
    lastWay:
      'Dieses Konto können Sie nicht trennen: Es ist Ihre einzige Möglichkeit, sich anzumelden. Legen Sie zuerst ein Passwort fest oder erstellen Sie einen Passkey.',
  },
});
