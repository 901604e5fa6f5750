import type { EventDefinition } from '../../audit/events/definition.rules.ts';

export const factorEvents = {
  'factor.added': { title: { en: 'Factor added', zh: '已添加验证方式' } },
  'factor.removed': { title: { en: 'Factor removed', zh: '已移除验证方式' } },
  'factor.used': { title: { en: 'Passkey or recovery code used', zh: '已使用通行密钥或恢复代码' } },
} as const satisfies Record<string, EventDefinition>;
