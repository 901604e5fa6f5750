import { operatorTexts } from '../../platform/ui/texts.ts';

/** The page of a move from an old system. */
export const moveText = operatorTexts({
  en: {
    title: 'Move from the old system',
    intro:
      'Each person’s first sign-in here asks the old system, and keeps the password as a hash of this server. After that the old system isn’t asked about this person again.',
    moved: 'Moved',
    left: 'Left',
    waiting: 'Accounts without a password',
    waitingNote: 'They get a password when their users sign in with the name and password of the old system.',
    expected: 'People in the old system',
    last: 'Last moved',
    never: 'Nobody yet',
    progress: (moved: string, all: string) => `${moved} of ${all} people have moved.`,
    ready: 'You can switch the old system off. Nobody needs it to sign in here any more.',
    notReady:
      'Keep the old system running. To finish sooner, send invitations to the people who are left: they set a new password by mail.',
  },
  zh: {
    title: '从旧系统迁移',
    intro: '用户首次在此登录时会向旧系统核对密码，并以本服务器的哈希保存。此后不再就该用户询问旧系统。',
    moved: '已迁移',
    left: '未迁移',
    waiting: '没有密码的账户',
    waitingNote: '用户使用旧系统的用户名和密码登录后即可获得账户。',
    expected: '旧系统的用户数',
    last: '最近一次迁移',
    never: '尚无',
    progress: (moved: string, all: string) => `${all} 人中已有 ${moved} 人迁移。`,
    ready: '可以关闭旧系统，已没有人需要通过它登录。',
    notReady: '请保持旧系统运行。如需尽快完成，可向剩余的用户发送邀请，由他们通过邮件设置新密码。',
  },
});
