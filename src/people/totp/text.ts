import { texts } from '../../platform/ui/texts.ts';

export const enrolText = texts({
  en: {
    scanCode: 'Scan this code with your authenticator app.',
    orTypeKey: 'Or type this key into the app:',
    firstCode: 'Code that the app shows now',
    keepRecoveryCodes:
      'Keep these codes in a safe place. If you lose your authenticator app, each of them signs you in once. They are not shown again.',
    codesKept: 'I have saved them',
    intro: (name: string) =>
      `Signing in to ${name} needs a second factor in addition to your password. Set up an authenticator app on your phone; you do this once.`,
    passkey: 'Use a passkey instead',
  },
  zh: {
    scanCode: '请用身份验证器应用扫描此二维码。',
    orTypeKey: '或在应用中输入此密钥：',
    firstCode: '应用当前显示的验证码',
    keepRecoveryCodes:
      '请将这些恢复码保存在安全的地方。如果您丢失了身份验证器应用，每个恢复码可以登录一次。它们不会再次显示。',
    codesKept: '我已保存',
    intro: name => `登录 ${name} 除密码外还需要第二重验证。请在手机上设置身份验证器应用，只需设置一次。`,
    passkey: '改用通行密钥',
  },
  de: {
    scanCode: 'Scannen Sie diesen Code mit Ihrer Authenticator-App.',
    orTypeKey: 'Oder geben Sie diesen Schlüssel in die App ein:',
    firstCode: 'Code, den die App jetzt anzeigt',
    keepRecoveryCodes:
      'Bewahren Sie diese Codes an einem sicheren Ort auf. Wenn Sie Ihre Authenticator-App verlieren, können Sie sich mit jedem davon einmal anmelden. Die Codes werden nicht noch einmal angezeigt.',
    codesKept: 'Ich habe sie sicher aufbewahrt',
    intro: name =>
      `Für ${name} brauchen Sie neben Ihrem Passwort einen zweiten Faktor. Richten Sie dazu auf Ihrem Smartphone eine Authenticator-App ein. Das ist nur einmal nötig.`,
    passkey: 'Stattdessen einen Passkey verwenden',
  },
});
