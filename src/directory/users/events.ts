import type { EventDefinition } from '../../audit/events/definition.rules.ts';

export const userEvents = {
  'user.created': { title: { en: 'User created', zh: '已创建用户' } },
  'user.updated': { title: { en: 'User changed', zh: '已更改用户' } },
  'user.deleted': { title: { en: 'User deleted', zh: '已删除用户' } },
  'user.disabled': { title: { en: 'User disabled', zh: '已停用用户' } },
  'user.enabled': { title: { en: 'User enabled', zh: '已启用用户' } },
  'user.invited': { title: { en: 'User invited again', zh: '已重新邀请用户' } },
  'user.signed_out': { title: { en: 'Signed out everywhere', zh: '已在所有位置登出' } },
  'grant.revoked': { title: { en: 'Access of a client ended', zh: '已终止客户端的访问权' } },
} as const satisfies Record<string, EventDefinition>;
