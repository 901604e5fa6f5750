import { type Html, html } from '../../platform/ui/html.ts';
import type { ConsoleContext } from './page.ts';
import { inLocale } from './text.ts';

/** What a form has done. The redirect after it names one of these in `done`, and the page that it leads to says it (layout.ts). */
const words = inLocale({
  en: {
    saved: 'Saved.',
    created: 'Created.',
    deleted: 'Deleted.',
    applicationDeleted: 'The application is deleted. It can be restored for 30 days.',
    restored: 'The application is restored.',
    keyRotated: 'The next key is published. It signs in a day, when every verifier has had time to fetch it.',
    keyDeleted: 'The key is deleted.',
    secretEnded: 'The former secret no longer works.',
    uriAdded: 'The redirect URI is registered.',
    repaired: 'Done. The same request works now.',
    operatorAdded: 'The operator is added.',
    operatorRemoved: 'The role is taken away.',
    signedOut: 'Signed out everywhere.',
    disabled: 'The user is disabled.',
    enabled: 'The user is enabled.',
    passwordSet: 'The password is set.',
    sessionEnded: 'The session is ended.',
    grantRevoked: 'The access is revoked.',
    consentWithdrawn: 'The consent is withdrawn.',
    factorRemoved: 'The factor is removed.',
    browserDistrusted: 'The user is asked for the second factor in this browser again.',
    undosRevoked: 'The change of the e-mail address can no longer be undone by the former address.',
    factorsReset: 'The second factors are removed. The user is told by mail, if there is a confirmed address.',
    factorRequired: 'The user sets up a second factor at the next sign-in.',
    factorOptional: 'A second factor is not required of this user any more.',
    invited: 'The invitation is on its way.',
    tested: 'A test is on its way. Reload to see what came of it.',
    sentAgain: 'It is being sent again. Reload to see what came of it.',
    paused: 'Deliveries are paused.',
    resumed: 'Deliveries are resumed.',
  },
  zh: {
    saved: '已保存。',
    created: '已创建。',
    deleted: '已删除。',
    applicationDeleted: '应用已删除，30 天内可以恢复。',
    restored: '应用已恢复。',
    keyRotated: '下一个密钥已公布。一天后所有验证方都有时间获取它，届时开始签名。',
    keyDeleted: '密钥已删除。',
    secretEnded: '旧密钥已失效。',
    uriAdded: '重定向 URI 已登记。',
    repaired: '已完成。同样的请求现在可以成功。',
    operatorAdded: '管理员已添加。',
    operatorRemoved: '角色已取消。',
    signedOut: '已在所有设备上退出。',
    disabled: '用户已停用。',
    enabled: '用户已启用。',
    passwordSet: '密码已设置。',
    sessionEnded: '会话已结束。',
    grantRevoked: '访问权限已撤销。',
    consentWithdrawn: '授权已撤回。',
    factorRemoved: '登录方式已移除。',
    browserDistrusted: '此浏览器将重新要求第二重验证。',
    undosRevoked: '原邮箱不能再撤销邮箱更改。',
    factorsReset: '第二重验证已移除。如有已验证的邮箱，会通知用户。',
    factorRequired: '用户下次登录时须设置第二重验证。',
    factorOptional: '不再要求此用户启用第二重验证。',
    invited: '邀请邮件正在发送。',
    tested: '测试正在发送。重新加载可查看结果。',
    sentAgain: '正在重新发送。重新加载可查看结果。',
    paused: '发送已暂停。',
    resumed: '发送已恢复。',
  },
});

export type NoticeName = keyof ReturnType<typeof words>;

/** Not in the answer to a form, whose address may still name what a form before it has done. */
export function doneNotice({ locale, query, request }: ConsoleContext): Html | false {
  const name = query.get('done') ?? '';
  const text = words(locale);
  if (request.method === 'POST' || !Object.hasOwn(text, name)) return false;
  return html`<p class="notice" role="status">${text[name as NoticeName]}</p>\n`;
}

export function withNotice(path: string, notice: NoticeName): string {
  return `${path}${path.includes('?') ? '&' : '?'}done=${notice}`;
}
