import type { Event } from '../../audit/events/rules.ts';
import type { EventType } from '../../events.ts';
import type { Locale } from '../../platform/ui/locale.rules.ts';
import { texts } from '../../platform/ui/texts.ts';

export const activityText = texts({
  en: {
    title: 'What happened in your account',
    intro: (days: number) =>
      `The last ${days} days, the newest first. If something was not you, change your password and end your sessions.`,
    none: 'Nothing has happened yet.',
    byOperator: 'by an administrator',
    older: 'Older',
  },
  zh: {
    title: '账户活动记录',
    intro: days => `最近 ${days} 天的记录，最新的在前。如果某项不是您本人操作，请更改密码并结束登录会话。`,
    none: '还没有任何活动。',
    byOperator: '由管理员操作',
    older: '更早的记录',
  },
  de: {
    title: 'Was in Ihrem Konto geschehen ist',
    intro: days =>
      `Die letzten ${days} Tage, das Neueste zuerst. Wenn etwas nicht von Ihnen stammt, ändern Sie Ihr Passwort und beenden Sie Ihre Sitzungen.`,
    none: 'Bisher ist nichts geschehen.',
    byOperator: 'durch einen Administrator',
    older: 'Ältere anzeigen',
  },
});

type Told = (event: Event) => string;

function isPasskey({ details }: Event): boolean {
  return details?.factor === 'passkey';
}

/** A type without a row is not shown: it says nothing to a person. */
const en = {
  'user.login.succeeded': () => 'You signed in',
  'user.login.failed': event => {
    if (event.outcome === 'denied') return 'A sign-in was refused: too many attempts';
    if (isPasskey(event)) return 'A sign-in failed: the passkey was not accepted';
    return event.details?.factor === undefined ? 'A sign-in failed' : 'A sign-in failed: the code was wrong';
  },
  'user.login.denied': () => 'You signed in, and the application did not admit your account',
  'user.created': () => 'Your account was created',
  'user.updated': () => 'Your profile was changed',
  'user.disabled': event =>
    event.details?.reason === 'deletion' ? 'You asked for your account to be deleted' : 'Your account was disabled',
  'user.enabled': event =>
    event.details?.reason === 'kept' ? 'You kept your account' : 'Your account was enabled again',
  'user.password.changed': () => 'Your password was changed',
  'user.password.reset.requested': () => 'A link to set a new password was sent to you',
  'user.email.verified': () => 'Your e-mail address was confirmed',
  'user.email.changed': () => 'Your e-mail address was changed',
  'user.email.restored': () => 'Your former e-mail address was restored',
  'user.email.undo_revoked': () => 'A change of your e-mail address can no longer be undone',
  'browser.trusted': () => 'A browser is trusted: it is not asked for a code',
  'browser.distrusted': () => 'A browser is no longer trusted',
  'user.linked': () => 'Another account was connected, to sign in with',
  'user.unlinked': () => 'Another account was disconnected',
  'user.exported': () => 'Your data was exported',
  'user.signed_out': () => 'You were signed out everywhere',
  'factor.added': event => `Added: ${factorIn('en', event)}`,
  'factor.removed': event => `Removed: ${factorIn('en', event)}`,
  'factor.used': event => (isPasskey(event) ? 'A passkey was used' : 'A recovery code was used'),
  'session.ended': event => (event.details?.reason === 'logout' ? 'You signed out' : 'A session was ended'),
  'consent.given': () => 'You gave access to an application',
  'device.approved': () => 'You connected a device',
  'device.denied': () => 'You did not allow a device to connect',
  'approval.requested': () => 'An application asked for your approval',
  'approval.given': () => 'You approved a request of an application',
  'approval.denied': () => 'You did not approve a request of an application',
  'approval.code_set': () => 'You set your approval code',
  'approval.code_removed': () => 'You removed your approval code',
  'consent.withdrawn': () => 'The access of an application was withdrawn',
  'agent.stopped': () => 'You stopped an agent',
  'agent.started': () => 'You started an agent again',
  'grant.revoked': () => 'The access of an application was ended',
  'refresh.reused': () => 'The access of an application was ended: an old token was used again',
  'operator.added': () => 'You got a role in the administration',
  'operator.updated': () => 'Your role in the administration was changed',
  'operator.removed': () => 'Your role in the administration was removed',
} satisfies Partial<Record<EventType, Told>>;

/** What happened to an account, in plain words. */
export const eventText = texts<Readonly<Record<keyof typeof en, Told>>>({
  en,
  zh: {
    'user.login.succeeded': () => '您已登录',
    'user.login.failed': event => {
      if (event.outcome === 'denied') return '登录被拒绝：尝试次数过多';
      if (isPasskey(event)) return '登录失败：通行密钥未被接受';
      return event.details?.factor === undefined ? '登录失败' : '登录失败：验证码不正确';
    },
    'user.login.denied': () => '您已登录，但该应用不允许您的账户访问',
    'user.created': () => '您的账户已创建',
    'user.updated': () => '您的个人资料已更改',
    'user.disabled': event => (event.details?.reason === 'deletion' ? '您请求删除账户' : '您的账户已停用'),
    'user.enabled': event => (event.details?.reason === 'kept' ? '您保留了账户' : '您的账户已重新启用'),
    'user.password.changed': () => '您的密码已更改',
    'user.password.reset.requested': () => '已向您发送设置新密码的链接',
    'user.email.verified': () => '您的邮箱已验证',
    'user.email.changed': () => '您的邮箱已更改',
    'user.email.restored': () => '您原来的邮箱已恢复',
    'user.email.undo_revoked': () => '邮箱更改不能再撤销',
    'browser.trusted': () => '一个浏览器被设为受信任：不再要求验证码',
    'browser.distrusted': () => '一个浏览器不再受信任',
    'user.linked': () => '已关联一个用于登录的其他账户',
    'user.unlinked': () => '已取消关联一个其他账户',
    'user.exported': () => '您的数据已导出',
    'user.signed_out': () => '您已在所有地方退出登录',
    'factor.added': event => `新增：${factorIn('zh', event)}`,
    'factor.removed': event => `移除：${factorIn('zh', event)}`,
    'factor.used': event => (isPasskey(event) ? '使用了通行密钥' : '使用了一个恢复码'),
    'session.ended': event => (event.details?.reason === 'logout' ? '您已退出登录' : '一个登录会话已结束'),
    'consent.given': () => '您授予了应用访问权限',
    'device.approved': () => '您连接了一台设备',
    'device.denied': () => '您没有同意连接设备',
    'approval.requested': () => '应用请求您批准',
    'approval.given': () => '您批准了应用的请求',
    'approval.denied': () => '您没有批准应用的请求',
    'approval.code_set': () => '您设置了批准码',
    'approval.code_removed': () => '您移除了批准码',
    'consent.withdrawn': () => '应用的访问权限已撤销',
    'agent.stopped': () => '您停用了一个智能体',
    'agent.started': () => '您重新启用了一个智能体',
    'grant.revoked': () => '应用的访问权限已结束',
    'refresh.reused': () => '应用的访问权限已结束：旧令牌被再次使用',
    'operator.added': () => '您获得了管理后台的角色',
    'operator.updated': () => '您在管理后台的角色已更改',
    'operator.removed': () => '您在管理后台的角色已被收回',
  },
  de: {
    'user.login.succeeded': () => 'Sie haben sich angemeldet',
    'user.login.failed': event => {
      if (event.outcome === 'denied') return 'Eine Anmeldung wurde abgelehnt: zu viele Versuche';
      if (isPasskey(event)) return 'Eine Anmeldung ist fehlgeschlagen: Der Passkey wurde nicht angenommen';
      return event.details?.factor === undefined
        ? 'Eine Anmeldung ist fehlgeschlagen'
        : 'Eine Anmeldung ist fehlgeschlagen: Der Code war falsch';
    },
    'user.login.denied': () => 'Sie haben sich angemeldet, aber die Anwendung hat Ihr Konto nicht zugelassen',
    'user.created': () => 'Ihr Konto wurde erstellt',
    'user.updated': () => 'Ihr Profil wurde geändert',
    'user.disabled': event =>
      event.details?.reason === 'deletion'
        ? 'Sie haben die Löschung Ihres Kontos beantragt'
        : 'Ihr Konto wurde deaktiviert',
    'user.enabled': event =>
      event.details?.reason === 'kept' ? 'Sie haben Ihr Konto behalten' : 'Ihr Konto wurde wieder aktiviert',
    'user.password.changed': () => 'Ihr Passwort wurde geändert',
    'user.password.reset.requested': () => 'Ein Link für ein neues Passwort wurde an Sie gesendet',
    'user.email.verified': () => 'Ihre E-Mail-Adresse wurde bestätigt',
    'user.email.changed': () => 'Ihre E-Mail-Adresse wurde geändert',
    'user.email.restored': () => 'Ihre frühere E-Mail-Adresse wurde wiederhergestellt',
    'user.email.undo_revoked': () => 'Eine Änderung Ihrer E-Mail-Adresse kann nicht mehr rückgängig gemacht werden',
    'browser.trusted': () => 'Ein Browser ist jetzt vertrauenswürdig: Er wird nicht nach einem Code gefragt',
    'browser.distrusted': () => 'Ein Browser ist nicht mehr vertrauenswürdig',
    'user.linked': () => 'Ein weiteres Konto zum Anmelden wurde verbunden',
    'user.unlinked': () => 'Die Verbindung zu einem anderen Konto wurde getrennt',
    'user.exported': () => 'Ihre Daten wurden exportiert',
    'user.signed_out': () => 'Sie wurden überall abgemeldet',
    'factor.added': event => `Hinzugefügt: ${factorIn('de', event)}`,
    'factor.removed': event => `Entfernt: ${factorIn('de', event)}`,
    'factor.used': event =>
      isPasskey(event) ? 'Ein Passkey wurde verwendet' : 'Ein Wiederherstellungscode wurde verwendet',
    'session.ended': event =>
      event.details?.reason === 'logout' ? 'Sie haben sich abgemeldet' : 'Eine Sitzung wurde beendet',
    'consent.given': () => 'Sie haben einer Anwendung Zugriff erlaubt',
    'device.approved': () => 'Sie haben ein Gerät verbunden',
    'device.denied': () => 'Sie haben einem Gerät den Zugriff nicht erlaubt',
    'approval.requested': () => 'Eine Anwendung hat um Ihre Freigabe gebeten',
    'approval.given': () => 'Sie haben die Anfrage einer Anwendung freigegeben',
    'approval.denied': () => 'Sie haben die Anfrage einer Anwendung nicht freigegeben',
    'approval.code_set': () => 'Sie haben Ihren Freigabecode gesetzt',
    'approval.code_removed': () => 'Sie haben Ihren Freigabecode entfernt',
    'consent.withdrawn': () => 'Einer Anwendung wurde der Zugriff entzogen',
    'agent.stopped': () => 'Sie haben einen Agenten angehalten',
    'agent.started': () => 'Sie haben einen Agenten wieder gestartet',
    'grant.revoked': () => 'Der Zugriff einer Anwendung wurde beendet',
    'refresh.reused': () => 'Der Zugriff einer Anwendung wurde beendet: Ein altes Token wurde noch einmal verwendet',
    'operator.added': () => 'Sie haben eine Rolle in der Verwaltung erhalten',
    'operator.updated': () => 'Ihre Rolle in der Verwaltung wurde geändert',
    'operator.removed': () => 'Ihre Rolle in der Verwaltung wurde Ihnen entzogen',
  },
});

export const factorText = texts({
  en: {
    password: 'password',
    totp: 'authenticator app',
    recovery: 'recovery codes',
    passkey: 'passkey',
    other: 'a way to sign in',
  },
  zh: { password: '密码', totp: '身份验证器应用', recovery: '恢复码', passkey: '通行密钥', other: '登录验证方式' },
  de: {
    password: 'Passwort',
    totp: 'Authenticator-App',
    recovery: 'Wiederherstellungscodes',
    passkey: 'Passkey',
    other: 'eine Anmeldemöglichkeit',
  },
});

function factorIn(locale: Locale, { details }: Event): string {
  const named: Readonly<Record<string, string>> = factorText[locale];
  return named[String(details?.factor)] ?? factorText[locale].other;
}
