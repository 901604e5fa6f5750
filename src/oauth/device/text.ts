import { type Html, html } from '../../platform/ui/html.ts';
import { texts } from '../../platform/ui/texts.ts';

/** The pages of /device. */
export const deviceText = texts({
  en: {
    title: 'Connect a device',
    intro: 'Enter the code that your device shows.',
    check:
      'Is this the code that your device shows? Continue only if it is, and if you have the device in front of you.',
    code: 'Code',
    hint: '8 letters. Uppercase, lowercase and the dash do not matter.',
    missing: 'Enter the code that your device shows.',
    wrong:
      'No device is waiting with this code. Check the letters. If the code has expired, start again on the device.',
    connect: (client: string) => `Connect ${client}?`,
    asks: (client: string, application: string) =>
      `A device with ${client} asks for access to your account at ${application}.`,
    compare: 'Allow it only if your device shows this code:',
    warning:
      'Did somebody send you this code or a link to this page? Then choose “Do not allow”. Otherwise they get access to your account.',
    from: 'IP address of the device',
    at: 'Requested at',
    account: 'Your account',
    asksFor: 'It asks for:',
    connected: 'Your device is connected',
    goBack: (client: string) =>
      `Go back to your device. ${client} continues there automatically. You can close this page.`,
    manage: (account: Html) => html`You can end its access at any time in ${account}.`,
    yourAccount: 'your account',
    denied: 'The device was not connected',
    deniedText: 'It has no access to your account. You can close this page.',
    cancelled: 'You have not signed in, so nothing was connected. You can close this page, or enter the code again.',
    again: 'Enter a code',
    decided: 'Your device is already connected',
    decidedText: (account: Html) => html`You already allowed it. You can end its access in ${account}.`,
  },
  zh: {
    title: '连接设备',
    intro: '请输入您的设备上显示的代码。',
    check: '您的设备上显示的是这个代码吗？仅当代码一致且设备就在您面前时，才继续。',
    code: '代码',
    hint: '8 个字母，不区分大小写，连字符可省略。',
    missing: '请输入您的设备上显示的代码。',
    wrong: '没有设备在等待此代码。请检查字母；如果代码已过期，请在设备上重新开始。',
    connect: client => `连接 ${client}？`,
    asks: (client, application) => `一台使用 ${client} 的设备请求访问您在 ${application} 的账户。`,
    compare: '仅当您的设备显示以下代码时才同意：',
    warning: '如果是别人把此代码或此页面的链接发给了您，请选择“不同意”：否则对方将获得您的账户。',
    from: '设备的网络地址',
    at: '请求时间',
    account: '您的账户',
    asksFor: '它请求：',
    connected: '您的设备已连接',
    goBack: client => `请回到您的设备，${client} 会自动继续。您可以关闭此页面。`,
    manage: account => html`您可以随时结束其访问权限： ${account}。`,
    yourAccount: '您的账户',
    denied: '设备未连接',
    deniedText: '它无权访问您的账户。您可以关闭此页面。',
    cancelled: '您没有登录，因此没有连接任何设备。您可以关闭此页面，或重新输入代码。',
    again: '输入代码',
    decided: '您的设备已经连接',
    decidedText: account => html`之前已经同意。您可以结束其访问权限： ${account}。`,
  },
  de: {
    title: 'Gerät verbinden',
    intro: 'Geben Sie den Code ein, den Ihr Gerät anzeigt.',
    check:
      'Zeigt Ihr Gerät genau diesen Code an? Fahren Sie nur dann fort, und nur, wenn Sie das Gerät vor sich haben.',
    code: 'Gerätecode',
    hint: '8 Buchstaben. Groß- und Kleinschreibung und der Bindestrich spielen keine Rolle.',
    missing: 'Geben Sie den Code ein, den Ihr Gerät anzeigt.',
    wrong:
      'Kein Gerät wartet auf diesen Code. Prüfen Sie die Buchstaben. Wenn der Code alt ist, beginnen Sie auf dem Gerät von vorn.',
    connect: client => `${client} verbinden?`,
    asks: (client, application) => `Ein Gerät mit ${client} bittet um Zugriff auf Ihr Konto bei ${application}.`,
    compare: 'Erlauben Sie den Zugriff nur, wenn Ihr Gerät diesen Code anzeigt:',
    warning:
      'Hat Ihnen jemand diesen Code oder einen Link zu dieser Seite geschickt? Dann wählen Sie „Nicht erlauben“: Sonst erhält diese Person Zugriff auf Ihr Konto.',
    from: 'Netzwerkadresse des Geräts',
    at: 'Angefragt am',
    account: 'Ihr Konto',
    asksFor: 'Es bittet um:',
    connected: 'Ihr Gerät ist verbunden',
    goBack: client =>
      `Gehen Sie zurück zu Ihrem Gerät. Dort macht ${client} von selbst weiter. Sie können diese Seite schließen.`,
    manage: account => html`Sie können den Zugriff jederzeit in ${account} beenden.`,
    yourAccount: 'Ihrem Konto',
    denied: 'Das Gerät wurde nicht verbunden',
    deniedText: 'Es hat keinen Zugriff auf Ihr Konto. Sie können diese Seite schließen.',
    cancelled:
      'Sie haben sich nicht angemeldet, daher wurde nichts verbunden. Sie können diese Seite schließen oder den Code erneut eingeben.',
    again: 'Code eingeben',
    decided: 'Ihr Gerät ist bereits verbunden',
    decidedText: account => html`Der Zugriff wurde schon erlaubt. Sie können ihn in ${account} beenden.`,
  },
});
