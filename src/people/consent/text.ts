import type { StandardScope } from '../../oauth/token/scope.rules.ts';
import { texts } from '../../platform/ui/texts.ts';

export const consentText = texts({
  en: {
    consentTitle: (client: string) => `${client} asks for access`,
    consentIntro: (client: string, application: string, username: string) =>
      `You are signed in to ${application} as ${username}. If you allow it, ${client} gets:`,
    consentTo: (client: string) => `${client} asks you to agree to this, once:`,
    allow: 'Allow',
    deny: 'Do not allow',
    scopes: {
      openid: 'your identifier, to recognise you',
      profile: 'your profile: name, user name, nickname, picture',
      email: 'your e-mail address',
      phone: 'your phone number',
      address: 'your postal address',
      groups: 'the groups that you belong to',
      roles: 'the roles that you have in this application',
      offline_access: 'access even while you are not using it',
      'admin:read': 'reading everything that your role lets you see in the administration',
      'admin:write': 'changing everything that your role lets you change in the administration',
    } satisfies Record<StandardScope, string>,
  },
  zh: {
    consentTitle: client => `${client} 请求访问权限`,
    consentIntro: (client, application, username) =>
      `您已以 ${username} 的身份登录 ${application}。如果您同意，${client} 将获得：`,
    consentTo: client => `${client} 请求您同意以下操作（仅此一次）：`,
    allow: '同意',
    deny: '不同意',
    scopes: {
      openid: '您的标识，用于识别您',
      profile: '您的个人资料：姓名、用户名、昵称、头像',
      email: '您的邮箱地址',
      phone: '您的手机号',
      address: '您的邮寄地址',
      groups: '您所属的用户组',
      roles: '您在此应用中的角色',
      offline_access: '在您不使用时也可访问',
      'admin:read': '读取您的角色在管理后台可查看的全部内容',
      'admin:write': '更改您的角色在管理后台可更改的全部内容',
    },
  },
  de: {
    consentTitle: client => `${client} bittet um Zugriff`,
    consentIntro: (client, application, username) =>
      `Sie sind bei ${application} als ${username} angemeldet. Wenn Sie den Zugriff erlauben, erhält ${client}:`,
    consentTo: client => `${client} bittet Sie, diesem Vorgang einmalig zuzustimmen:`,
    allow: 'Zugriff erlauben',
    deny: 'Nicht erlauben',
    scopes: {
      openid: 'Ihre Kennung, um Sie wiederzuerkennen',
      profile: 'Ihr Profil: Name, Benutzername, Spitzname, Bild',
      email: 'Ihre E-Mail-Adresse',
      phone: 'Ihre Telefonnummer',
      address: 'Ihre Postanschrift',
      groups: 'die Gruppen, zu denen Sie gehören',
      roles: 'die Rollen, die Sie in dieser Anwendung haben',
      offline_access: 'Zugriff auch dann, wenn Sie die Anwendung gerade nicht verwenden',
      'admin:read': 'Lesezugriff auf alles, was Ihre Rolle in der Verwaltung sehen darf',
      'admin:write': 'Schreibzugriff auf alles, was Ihre Rolle in der Verwaltung ändern darf',
    },
  },
});

/** /account/access. */
export const accessText = texts({
  en: {
    title: 'Who has access',
    intro: 'These applications have access to your account. If you withdraw it, they are signed out immediately.',
    none: 'You have not given any application access.',
    since: 'Since',
    agreed: 'you agreed to it',
    open: (client: string) => `Open ${client}`,
    withdraw: 'Withdraw access',
    agents: 'The agents that you are responsible for',
  },
  zh: {
    title: '谁有访问权限',
    intro: '以下应用可以查看您账户的部分信息。撤销授权后，它们会立即失去访问权限。',
    none: '您还没有授予任何访问权限。',
    since: '开始于',
    agreed: '您已同意',
    open: client => `打开 ${client}`,
    withdraw: '撤销授权',
    agents: '由您负责的智能体',
  },
  de: {
    title: 'Wer Zugriff hat',
    intro:
      'Diese Anwendungen können Teile Ihres Kontos sehen. Wenn Sie den Zugriff entziehen, werden sie sofort abgemeldet.',
    none: 'Sie haben niemandem Zugriff erlaubt.',
    since: 'Seit',
    agreed: 'Sie haben eingewilligt',
    open: client => `${client} öffnen`,
    withdraw: 'Zugriff entziehen',
    agents: 'Die Agenten, für die Sie verantwortlich sind',
  },
});

/** What pages say of a self-registered client before somebody agrees: its name is its own word, and only hosts can be checked. */
export const selfRegisteredText = texts({
  en: {
    document: (host: string) => `This client chose its own name. It is published at ${host}.`,
    registration: 'This client registered itself and chose its own name. Nobody has checked who runs it.',
    returnsTo: (host: string) => `You will be sent to ${host}.`,
    returnsHere:
      'You will be sent to a program on this device. Any program can claim to be this client: allow it only if you started it just now.',
  },
  zh: {
    document: host => `此客户端的名称由其自己填写。它发布于 ${host}。`,
    registration: '此客户端自行注册，名称由其自己填写。没有人核实过其运营者。',
    returnsTo: host => `您将被带到 ${host}。`,
    returnsHere: '您将被带到本设备上的一个程序。任何程序都可以冒充此客户端：请仅在您刚刚启动它时才允许。',
  },
  de: {
    document: host => `Dieser Client hat sich seinen Namen selbst gegeben. Er ist unter ${host} veröffentlicht.`,
    registration:
      'Dieser Client hat sich seinen Namen selbst gegeben und sich selbst registriert. Niemand hat geprüft, wer ihn betreibt.',
    returnsTo: host => `Sie werden zu ${host} weitergeleitet.`,
    returnsHere:
      'Sie werden zu einem Programm auf diesem Gerät weitergeleitet. Jedes Programm kann sich als dieser Client ausgeben: Erlauben Sie den Zugriff nur, wenn Sie es gerade selbst gestartet haben.',
  },
});

export const aboutClientText = texts({
  en: {
    about: (client: string) => `About ${client}`,
    ownWords: "The client's own words, which nobody has checked:",
    website: 'Website',
    policy: 'Privacy policy',
    terms: 'Terms of service',
  },
  zh: {
    about: client => `关于 ${client}`,
    ownWords: '由该客户端自己提供，未经核实：',
    website: '网站',
    policy: '隐私政策',
    terms: '服务条款',
  },
  de: {
    about: client => `Über ${client}`,
    ownWords: 'Eigene Angaben des Clients, die niemand geprüft hat:',
    website: 'Website',
    policy: 'Datenschutzerklärung',
    terms: 'Nutzungsbedingungen',
  },
});
