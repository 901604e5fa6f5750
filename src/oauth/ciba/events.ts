import type { EventDefinition } from '../../audit/events/definition.rules.ts';

export const cibaEvents = {
  'approval.requested': { title: { en: 'Approval requested', zh: '请求批准' } },
  'approval.given': { title: { en: 'Request approved', zh: '已批准请求' } },
  'approval.denied': { title: { en: 'Request refused', zh: '已拒绝请求' } },
  'approval.code_set': { title: { en: 'Approval code set', zh: '已设置批准码' } },
  'approval.code_removed': { title: { en: 'Approval code removed', zh: '已移除批准码' } },
} as const satisfies Record<string, EventDefinition>;
