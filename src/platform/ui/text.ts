import type { StandardScope } from '../../oauth/token/scope.rules.ts';
import type { Locale } from './locale.rules.ts';

/** The texts of the pages. Short, plain, second person, no blame: what happened, then what to do. */
export interface Text {
  readonly signInTo: (application: string) => string;
  readonly username: string;
  readonly password: string;
  readonly showPassword: string;
  readonly hidePassword: string;
  readonly signIn: string;
  readonly cancel: string;
  readonly forgotPassword: string;
  readonly signUp: string;
  readonly wrongCredentials: string;
  readonly tooManyAttempts: (seconds: number) => string;
  readonly busy: string;
  readonly missingField: string;
  readonly codeTitle: string;
  readonly codeIntro: string;
  readonly code: string;
  readonly wrongCode: string;
  readonly missingCode: string;
  readonly useRecoveryCode: string;
  readonly useApp: string;
  readonly recoveryTitle: string;
  readonly recoveryIntro: (left: number) => string;
  readonly recoveryCode: string;
  readonly wrongRecoveryCode: string;
  readonly continue: string;
  readonly returning: string;
  readonly problemTitle: string;
  readonly problems: Readonly<Record<Problem, string>>;
  readonly noRoleAs: (username: string) => string;
  readonly forDevelopers: string;
  readonly rule: string;
  readonly expected: string;
  readonly received: string;
  readonly howToFix: string;
  readonly requestId: string;
  /** The label of the command that an operator can run. */
  readonly explain: string;
  readonly explainInConsole: string;
  readonly reference: string;
  readonly yourAccount: string;
  readonly chooseAccount: (application: string) => string;
  readonly continueAs: (username: string) => string;
  readonly useAnother: string;
  readonly consentTitle: (client: string) => string;
  readonly consentIntro: (client: string, application: string, username: string) => string;
  readonly scopes: Readonly<Record<StandardScope, string>>;
  readonly allow: string;
  readonly deny: string;
  readonly signOutTitle: string;
  readonly signOutQuestion: (username: string) => string;
  readonly signOut: string;
  readonly signedOutTitle: string;
  readonly signedOut: string;
  readonly securityTitle: string;
  readonly authenticatorApp: string;
  readonly noAuthenticator: string;
  readonly setUpAuthenticator: string;
  readonly setUpOn: string;
  readonly removeFactor: string;
  readonly scanCode: string;
  readonly orTypeKey: string;
  readonly firstCode: string;
  readonly confirm: string;
  readonly recoveryCodes: string;
  readonly recoveryCodesLeft: (left: number) => string;
  readonly newRecoveryCodes: string;
  readonly keepRecoveryCodes: string;
  readonly codesKept: string;
  readonly backToAccount: string;
  readonly emailTitle: string;
  readonly links: Readonly<Record<LinkName, string>>;
}

/** What an application may link to. */
export const linkNames = ['help', 'privacy', 'terms'] as const;
export type LinkName = (typeof linkNames)[number];

/** The text for the user; the part for developers names the exact failure. */
export type Problem =
  | 'badLink'
  | 'notSentBack'
  | 'notSetUp'
  | 'notSignedOut'
  | 'unreadable'
  | 'expired'
  | 'signInAgain'
  | 'resetLink'
  | 'mailLink'
  | 'noSignUp'
  | 'noRole'
  | 'alreadySent'
  | 'tooManyCodes'
  | 'noPasskeys'
  | 'fromElsewhere'
  | 'notFound'
  | 'tryLater'
  | 'fault';

const en: Text = {
  signInTo: application => `Sign in to ${application}`,
  username: 'User name, e-mail or phone',
  password: 'Password',
  showPassword: 'Show password',
  hidePassword: 'Hide password',
  signIn: 'Sign in',
  cancel: 'Cancel',
  forgotPassword: 'Forgot your password?',
  signUp: 'Create an account',
  wrongCredentials: 'That user name and password do not match. Check both and try again.',
  tooManyAttempts: seconds =>
    `Too many attempts. Wait ${seconds < 90 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`} and try again.`,
  busy: 'We are busy at the moment. Wait a few seconds and try again.',
  missingField: 'Enter your user name and your password.',
  codeTitle: 'Enter your code',
  codeIntro: 'Open your authenticator app and type the six digits that it shows for this account.',
  code: 'Code',
  wrongCode: 'That code is not right, or was used before. Wait for the next one and try again.',
  missingCode: 'Enter a code.',
  useRecoveryCode: 'Use a recovery code instead',
  useApp: 'Use the authenticator app instead',
  recoveryTitle: 'Enter a recovery code',
  recoveryIntro: left =>
    `Type one of the recovery codes that you kept. ${left === 1 ? 'One code is' : `${left} codes are`} left, and each is good once.`,
  recoveryCode: 'Recovery code',
  wrongRecoveryCode: 'That recovery code is not right, or was used before. Check it, or use another one.',
  continue: 'Continue',
  returning: 'Returning to the application',
  problemTitle: 'This did not work',
  problems: {
    badLink:
      'The link that brought you here is not complete or not correct. Go back and try again. If that does not help, contact the application.',
    notSentBack:
      'A program that you have not approved before sent you here, and its request could not be answered. You were not sent back to it. If you started it yourself, go back and try again. If not, close this page.',
    notSetUp:
      'The application that sent you here is not set up correctly for signing in with us. Trying again will not help: please contact the application.',
    notSignedOut:
      'You were not signed out, because the application that sent you here is not set up correctly for it. You can sign out here.',
    unreadable: 'Your browser sent something that this page cannot read. Go back and start again.',
    expired:
      'This page has expired, was opened in another browser, or your browser blocks our cookies. Go back and start again.',
    signInAgain:
      'You are not signed in any more, or somebody else has signed in with this browser. Go back and sign in again.',
    resetLink:
      'This link does not work any more: it was used, is too old, or you have got a newer one. Ask for a new link.',
    mailLink:
      'This link or code does not work any more: it was used, is too old, or you have got a newer mail. Begin again.',
    noSignUp: 'You cannot create an account here. Go back to the application, and ask there for an account.',
    noRole: 'The console is for operators of this server. If you need it, ask an owner to give you a role.',
    alreadySent: 'This form was already sent. Go back to the application and sign in again if you need to.',
    tooManyCodes: 'Too many wrong codes. Go back to the application and sign in again.',
    noPasskeys: 'Passkeys cannot be used here. Go back and sign in with your password.',
    fromElsewhere: 'This form was not sent from our page. Go back and start again.',
    notFound: 'There is nothing at this address. Check the link, or go back to the application.',
    tryLater: 'We cannot do this at the moment. Wait a few seconds and try again.',
    fault: 'Something went wrong on our side. Wait a moment and try again.',
  },
  noRoleAs: name => `You are signed in as ${name}. This account has no role here.`,
  forDevelopers: 'For developers',
  rule: 'Rule',
  expected: 'Expected',
  received: 'Received',
  howToFix: 'How to fix it',
  requestId: 'Request id',
  explain: 'Operators can ask',
  explainInConsole: 'Explanation in the console',
  reference: 'Error reference',
  yourAccount: 'your account',
  chooseAccount: application => `Continue to ${application}`,
  continueAs: username => `Continue as ${username}`,
  useAnother: 'Use another account',
  consentTitle: client => `${client} asks for access`,
  consentIntro: (client, application, username) =>
    `You are signed in to ${application} as ${username}. If you allow it, ${client} gets:`,
  scopes: {
    openid: 'your identifier, to recognise you',
    profile: 'your profile: name, user name, nickname, picture',
    email: 'your e-mail address',
    phone: 'your phone number',
    address: 'your postal address',
    groups: 'the groups that you belong to',
    roles: 'the roles that you have in this application',
    offline_access: 'access also while you are not using it',
    'admin:read': 'reading everything that your role lets you see in the administration',
    'admin:write': 'changing everything that your role lets you change in the administration',
  },
  allow: 'Allow',
  deny: 'Do not allow',
  signOutTitle: 'Sign out?',
  signOutQuestion: username => `You are signed in as ${username}. Signing out ends your session in all applications.`,
  signOut: 'Sign out',
  signedOutTitle: 'You are signed out',
  signedOut: 'You can close this page.',
  securityTitle: 'Sign-in and security',
  authenticatorApp: 'Authenticator app',
  noAuthenticator: 'With an authenticator app, a stolen password alone is not enough to sign in as you.',
  setUpAuthenticator: 'Set up an authenticator app',
  setUpOn: 'Set up on',
  removeFactor: 'Remove',
  scanCode: 'Scan this code with your authenticator app.',
  orTypeKey: 'Or type this key into the app:',
  firstCode: 'Code that the app shows now',
  confirm: 'Confirm',
  recoveryCodes: 'Recovery codes',
  recoveryCodesLeft: left => (left === 1 ? 'One code is left.' : `${left} codes are left.`),
  newRecoveryCodes: 'Make new codes',
  keepRecoveryCodes:
    'Keep these codes in a safe place. If you lose your authenticator app, each of them signs you in once. They are not shown again.',
  codesKept: 'I have kept them',
  backToAccount: 'Back to your account',
  emailTitle: 'E-mail address',
  links: { help: 'Help', privacy: 'Privacy', terms: 'Terms' },
};

const zh: Text = {
  signInTo: application => `登录 ${application}`,
  username: '用户名、邮箱或手机号',
  password: '密码',
  showPassword: '显示密码',
  hidePassword: '隐藏密码',
  signIn: '登录',
  cancel: '取消',
  forgotPassword: '忘记密码？',
  signUp: '创建账户',
  wrongCredentials: '用户名与密码不匹配。请检查后重试。',
  tooManyAttempts: seconds =>
    `尝试次数过多。请等待 ${seconds < 90 ? `${seconds} 秒` : `${Math.ceil(seconds / 60)} 分钟`}后重试。`,
  busy: '系统繁忙。请稍等几秒后重试。',
  missingField: '请输入用户名和密码。',
  codeTitle: '输入验证码',
  codeIntro: '请打开身份验证器应用，输入其中为此账户显示的六位数字。',
  code: '验证码',
  wrongCode: '验证码不正确或已使用过。请等待下一个验证码后重试。',
  missingCode: '请输入验证码。',
  useRecoveryCode: '改用恢复码',
  useApp: '改用身份验证器应用',
  recoveryTitle: '输入恢复码',
  recoveryIntro: left => `请输入您保存的一个恢复码。还剩 ${left} 个，每个只能使用一次。`,
  recoveryCode: '恢复码',
  wrongRecoveryCode: '恢复码不正确或已使用过。请检查，或使用另一个。',
  continue: '继续',
  returning: '正在返回应用',
  problemTitle: '无法完成操作',
  problems: {
    badLink: '您打开的链接不完整或不正确。请返回后重试；如果仍然不行，请联系该应用。',
    notSentBack:
      '您尚未批准过的程序将您带到这里，其请求无法得到处理。您没有被带回该程序。如果是您自己启动的，请返回后重试；否则请关闭此页面。',
    notSetUp: '将您带到这里的应用没有正确配置登录。重试不会有帮助，请联系该应用。',
    notSignedOut: '您没有被退出登录，因为将您带到这里的应用没有正确配置。您可以在此退出登录。',
    unreadable: '您的浏览器发送的内容无法识别。请返回后重新开始。',
    expired: '此页面已过期、是在另一个浏览器中打开的，或者您的浏览器阻止了我们的 Cookie。请返回后重新开始。',
    signInAgain: '您已不再处于登录状态，或者有其他人在此浏览器中登录了。请返回后重新登录。',
    resetLink: '此链接已失效：它已被使用、已过期，或者您已收到更新的链接。请重新请求链接。',
    mailLink: '此链接或验证码已失效：它已被使用、已过期，或者您已收到更新的邮件。请重新开始。',
    noSignUp: '您无法在此创建账户。请返回应用，并在那里申请账户。',
    noRole: '控制台供此服务器的管理员使用。如果您需要使用，请联系所有者为您分配角色。',
    alreadySent: '此表单已提交过。如有需要，请返回应用重新登录。',
    tooManyCodes: '错误的验证码过多。请返回应用重新登录。',
    noPasskeys: '此处无法使用通行密钥。请返回并使用密码登录。',
    fromElsewhere: '此表单不是从本页面提交的。请返回后重新开始。',
    notFound: '此地址没有内容。请检查链接，或返回应用。',
    tryLater: '暂时无法处理。请稍等几秒后重试。',
    fault: '我们这边出了问题。请稍后重试。',
  },
  noRoleAs: name => `您已以 ${name} 的身份登录。此账户没有角色。`,
  forDevelopers: '开发者信息',
  rule: '规则',
  expected: '应为',
  received: '收到',
  howToFix: '解决方法',
  requestId: '请求编号',
  explain: '管理员可运行',
  explainInConsole: '在控制台查看原因',
  reference: '错误参考',
  yourAccount: '您的账户',
  chooseAccount: application => `继续前往 ${application}`,
  continueAs: username => `以 ${username} 的身份继续`,
  useAnother: '使用其他账户',
  consentTitle: client => `${client} 请求访问权限`,
  consentIntro: (client, application, username) =>
    `您已以 ${username} 的身份登录 ${application}。如果您同意，${client} 将获得：`,
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
  allow: '同意',
  deny: '不同意',
  signOutTitle: '要退出登录吗？',
  signOutQuestion: username => `您已以 ${username} 的身份登录。退出后，所有应用中的会话都会结束。`,
  signOut: '退出登录',
  signedOutTitle: '您已退出登录',
  signedOut: '您可以关闭此页面。',
  securityTitle: '登录与安全',
  authenticatorApp: '身份验证器应用',
  noAuthenticator: '启用身份验证器应用后，仅凭被盗的密码无法以您的身份登录。',
  setUpAuthenticator: '设置身份验证器应用',
  setUpOn: '设置时间',
  removeFactor: '移除',
  scanCode: '请用身份验证器应用扫描此二维码。',
  orTypeKey: '或在应用中输入此密钥：',
  firstCode: '应用当前显示的验证码',
  confirm: '确认',
  recoveryCodes: '恢复码',
  recoveryCodesLeft: left => `还剩 ${left} 个恢复码。`,
  newRecoveryCodes: '生成新的恢复码',
  keepRecoveryCodes:
    '请将这些恢复码保存在安全的地方。如果您丢失了身份验证器应用，每个恢复码可以登录一次。它们不会再次显示。',
  codesKept: '我已保存',
  backToAccount: '返回您的账户',
  emailTitle: '电子邮箱',
  links: { help: '帮助', privacy: '隐私政策', terms: '服务条款' },
};

const texts: Readonly<Record<Locale, Text>> = { en, zh };

export function textFor(locale: Locale): Text {
  return texts[locale];
}
