import type { EventDefinition } from '../../audit/events/definition.rules.ts';

export const emailEvents = {
  'user.email.verified': { title: { en: 'E-mail address verified', zh: '已验证邮箱地址' } },
  'user.email.changed': { title: { en: 'E-mail address changed', zh: '已更改邮箱地址' } },
  'user.email.restored': { title: { en: 'Former e-mail address restored', zh: '已恢复原邮箱地址' } },
  'user.email.undo_revoked': {
    title: { en: 'A change of the e-mail address can no longer be undone', zh: '邮箱地址的更改不能再撤销' },
  },
} as const satisfies Record<string, EventDefinition>;
