import type { Reply } from '../../platform/http/message.ts';
import { html } from '../../platform/ui/html.ts';
import { page } from '../../platform/ui/layout.ts';
import type { Locale } from '../../platform/ui/locale.rules.ts';
import { textFor } from '../../platform/ui/text.ts';
import { accountPage, time } from '../account/frame.ts';
import { passwordField } from '../password/change.html.ts';
import { CONFIRM_STATUS, type ConfirmFault, confirmFaultText } from '../password/confirm.ts';

const words = {
  en: {
    title: 'Your data',
    download: 'Download your data',
    downloadIntro: 'Everything that we keep about you, as one file (JSON). It holds no password and no key.',
    remove: 'Delete your account',
    removeIntro: (days: number) =>
      `You are signed out everywhere, and nobody can use the account. For ${days} days you can have it back by signing in; after that it is gone for good.`,
    goOn: 'Delete the account …',
    confirm: 'To confirm, enter your password.',
    confirmWithout: 'You have just proved that it is you: press the button to confirm.',
    password: 'Password',
    lastOwner:
      'You are the only owner of this service, so your account cannot be deleted. Give the role to somebody else first.',
    gone: 'Your account will be deleted',
    goneOn: 'It will be deleted on',
    goneIntro: 'You are signed out everywhere. If you change your mind, sign in before that day and choose to keep it.',
  },
  zh: {
    title: '您的数据',
    download: '下载您的数据',
    downloadIntro: '我们保存的关于您的全部信息，以一个文件（JSON）提供。其中不包含密码和密钥。',
    remove: '删除您的账户',
    removeIntro: (days: number) =>
      `您将在所有地方退出登录，任何人都无法使用该账户。${days} 天内您可以通过登录恢复账户，之后将永久删除。`,
    goOn: '删除账户…',
    confirm: '请输入密码以确认。',
    confirmWithout: '您刚刚已证明是本人：请点击按钮确认。',
    password: '密码',
    lastOwner: '您是此服务唯一的所有者，因此无法删除您的账户。请先将该角色交给其他人。',
    gone: '您的账户将被删除',
    goneOn: '删除时间：',
    goneIntro: '您已在所有地方退出登录。如果您改变主意，请在该日期之前登录并选择保留账户。',
  },
} as const;

export function dataPage(locale: Locale, graceDays: number): Reply {
  const text = words[locale];
  return accountPage({
    locale,
    place: 'data',
    title: text.title,
    content: html`<section>
<h2>${text.download}</h2>
<p>${text.downloadIntro}</p>
<form method="post" action="/account/data"><button type="submit" name="action" value="download" class="small">${text.download}</button></form>
</section>
<section>
<h2>${text.remove}</h2>
<p>${text.removeIntro(graceDays)}</p>
<p><a class="button small" href="/account/data/delete">${text.goOn}</a></p>
</section>`,
  });
}

interface DeleteView {
  readonly locale: Locale;
  readonly username: string;
  readonly hasPassword: boolean;
  readonly graceDays: number;
  readonly fault?: ConfirmFault | 'lastOwner' | undefined;
}

export function deleteAccountPage({ locale, username, hasPassword, graceDays, fault }: DeleteView): Reply {
  const text = words[locale];
  const isLastOwner = fault === 'lastOwner';
  const message = fault && (isLastOwner ? text.lastOwner : confirmFaultText(locale, fault));
  const status = fault === undefined ? 200 : isLastOwner ? 409 : CONFIRM_STATUS[fault.kind];
  return accountPage({
    locale,
    place: 'data',
    title: text.remove,
    fault: message,
    status,
    retryAfter: isLastOwner ? undefined : fault?.retryAfter,
    content: html`<p>${text.removeIntro(graceDays)}</p>
${isLastOwner && html`<p class="alert" role="alert">${message}</p>\n`}<p>${hasPassword ? text.confirm : text.confirmWithout}</p>
<form method="post" action="/account/data/delete" class="narrow" data-once>
<div hidden><input type="text" autocomplete="username" value="${username}" readonly></div>
${
  hasPassword &&
  passwordField(
    locale,
    'password',
    text.password,
    html`autocomplete="current-password"`,
    isLastOwner ? undefined : message,
    true,
  )
}<button type="submit" class="danger">${text.remove}</button>
</form>
<p><a href="/account/data">${textFor(locale).cancel}</a></p>`,
  });
}

export function accountLeftPage(locale: Locale, dueAt: number): Reply {
  const text = words[locale];
  return page({
    locale,
    title: text.gone,
    body: html`
<h1>${text.gone}</h1>
<p>${text.goneOn} ${time(locale, dueAt)}</p>
<p>${text.goneIntro}</p>`,
  });
}
